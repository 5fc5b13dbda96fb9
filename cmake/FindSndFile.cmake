# Finds libsndfile, which ships a CMake package only when it was built with CMake.
#
# Defines SndFile_FOUND, SndFile_VERSION and the imported target SndFile::sndfile. pkg-config says
# where to look first; CMAKE_PREFIX_PATH and SndFile_ROOT work as usual.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_SndFile QUIET sndfile)
endif()

find_path(SndFile_INCLUDE_DIR sndfile.h HINTS ${PC_SndFile_INCLUDE_DIRS})
find_library(SndFile_LIBRARY sndfile HINTS ${PC_SndFile_LIBRARY_DIRS})
mark_as_advanced(SndFile_INCLUDE_DIR SndFile_LIBRARY)
set(SndFile_VERSION ${PC_SndFile_VERSION})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SndFile
  REQUIRED_VARS SndFile_LIBRARY SndFile_INCLUDE_DIR
  VERSION_VAR SndFile_VERSION)

if(SndFile_FOUND AND NOT TARGET SndFile::sndfile)
  add_library(SndFile::sndfile UNKNOWN IMPORTED)
  set_target_properties(SndFile::sndfile PROPERTIES
    IMPORTED_LOCATION ${SndFile_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SndFile_INCLUDE_DIR})
endif()
