include(plain_library)
find_plain_library(ISAL ISAL::ISAL isa-l/igzip_lib.h isal libisal-dev)
