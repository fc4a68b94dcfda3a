# Run by cpack: the program's libraries become Depends, those of the modules, which few files need, Recommends.
set(work ${CPACK_UPFIRDN_FOLDER}/package)
file(WRITE ${work}/debian/control "Source: upfirdn\n\nPackage: upfirdn\nArchitecture: any\n")
file(GLOB modules ${CPACK_UPFIRDN_FOLDER}/modules/*)
list(TRANSFORM modules PREPEND -e)
execute_process(
  COMMAND dpkg-shlibdeps -O -dDepends -e${CPACK_UPFIRDN_FOLDER}/upfirdn -dRecommends ${modules}
  WORKING_DIRECTORY ${work} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(NOT found MATCHES "shlibs:Depends=([^\n]+)\n" )
  message(FATAL_ERROR "dpkg-shlibdeps found no dependencies: ${found}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
string(REGEX MATCH "shlibs:Recommends=([^\n]+)\n" line "${found}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${CMAKE_MATCH_1}")
