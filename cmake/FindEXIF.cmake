include(plain_library)
find_plain_library(EXIF EXIF::EXIF libexif/exif-data.h exif libexif-dev)
