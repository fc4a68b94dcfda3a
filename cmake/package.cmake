# `cpack` makes a Debian package of what `cmake --install` installs.
set(docdir ${CMAKE_INSTALL_DATADIR}/doc/upfirdn)
set(changelog ${CMAKE_BINARY_DIR}/documents/changelog.gz)
add_custom_command(OUTPUT ${changelog}
  COMMAND gzip -9 -n -c ${CMAKE_SOURCE_DIR}/packaging/changelog > ${changelog}
  DEPENDS ${CMAKE_SOURCE_DIR}/packaging/changelog VERBATIM)
add_custom_target(upfirdn_changelog ALL DEPENDS ${changelog})
install(FILES README.md packaging/copyright ${changelog} DESTINATION ${docdir})
install(DIRECTORY docs DESTINATION ${docdir})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "resample images with FIR filters on the CPU or on CUDA")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Resizes 16-bit radiographs, photographs and arrays of training data, and
computes the operator upfirdn2d (insert zeros, filter, keep every n-th sample)
with bias and activation. The CPU and NVIDIA GPUs give the same bytes.
Reads and writes PNG, TIFF, JPEG, PNM, PFM, NumPy arrays and DICOM; with what
is recommended also BMP, WebP, JPEG 2000, OpenEXR and compressed DICOM.")
set(CPACK_PACKAGE_CONTACT "upfirdn developers <upfirdn@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
# Which packages the binaries need is found out when the package is made.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_dependencies.cmake)
set(CPACK_UPFIRDN_FOLDER ${CMAKE_BINARY_DIR})
include(CPack)
