include(plain_library)
find_plain_library(ZIMG zimg::zimg zimg.h zimg libzimg-dev)
