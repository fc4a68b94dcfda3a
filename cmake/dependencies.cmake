# Third parties of the program. Each has one owner, which links it PRIVATE.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_package(TBB REQUIRED)   # resample: threads
find_package(HWY REQUIRED)   # resample: SIMD with run-time dispatch
find_package(fmt REQUIRED)   # messages
if(UPFIRDN_PROGRAM)
  find_package(PNG REQUIRED)                                   # io
  find_package(ISAL REQUIRED)                                  # io: deflate of PNG and DICOM
  find_package(Deflate REQUIRED)                               # io: PNG, small levels
  find_package(TIFF REQUIRED)                                  # io
  find_package(JPEG REQUIRED)                                  # io
  find_package(EXIF REQUIRED)                                  # io: EXIF of photographs
  find_package(GDCM REQUIRED)                                  # io, only in the helper `dicom-codec`
  find_package(OpenCV REQUIRED COMPONENTS core imgproc imgcodecs)  # io, only in the module `imaging`
  find_package(OpenEXR REQUIRED)                               # io, only in the module `exr`
  find_package(CLI11 REQUIRED)                                 # cli
  find_package(nlohmann_json REQUIRED)                         # cli
endif()
