# Target zimg::zimg; the library comes without CMake files of its own.
include(FindPackageHandleStandardArgs)
find_path(ZIMG_INCLUDE_DIR zimg.h)
find_library(ZIMG_LIBRARY zimg)
mark_as_advanced(ZIMG_INCLUDE_DIR ZIMG_LIBRARY)
find_package_handle_standard_args(ZIMG REQUIRED_VARS ZIMG_LIBRARY ZIMG_INCLUDE_DIR)
if(ZIMG_FOUND AND NOT TARGET zimg::zimg)
  add_library(zimg::zimg UNKNOWN IMPORTED)
  set_target_properties(zimg::zimg PROPERTIES
    IMPORTED_LOCATION ${ZIMG_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ZIMG_INCLUDE_DIR})
endif()
