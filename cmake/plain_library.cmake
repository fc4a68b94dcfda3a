# Finds a library that comes without CMake files of its own: target `target`, from the header and the library's file.
# The name is that of the calling Find module.
include(FindPackageHandleStandardArgs)
macro(find_plain_library name target header file package)
  find_path(${name}_INCLUDE_DIR ${header})
  find_library(${name}_LIBRARY ${file})
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
  find_package_handle_standard_args(${name} REQUIRED_VARS ${name}_LIBRARY ${name}_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install the package ${package}")
  if(${name}_FOUND AND NOT TARGET ${target})
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION ${${name}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE_DIR})
  endif()
endmacro()
