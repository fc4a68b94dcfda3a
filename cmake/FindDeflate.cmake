include(plain_library)
find_plain_library(Deflate Deflate::Deflate libdeflate.h deflate libdeflate-dev)
