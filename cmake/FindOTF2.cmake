# Finds OTF2, the library that reads and writes traces of Score-P, which ships no CMake package of its
# own.
#
# Defines OTF2_FOUND, OTF2_VERSION and the imported target OTF2::otf2. pkg-config says where to look
# first; CMAKE_PREFIX_PATH and OTF2_ROOT work as usual.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_OTF2 QUIET otf2)
endif()

find_path(OTF2_INCLUDE_DIR otf2/otf2.h HINTS ${PC_OTF2_INCLUDE_DIRS})
find_library(OTF2_LIBRARY NAMES otf2 open-trace-format2 HINTS ${PC_OTF2_LIBRARY_DIRS})
mark_as_advanced(OTF2_INCLUDE_DIR OTF2_LIBRARY)

if(OTF2_INCLUDE_DIR)
  file(STRINGS ${OTF2_INCLUDE_DIR}/otf2/OTF2_GeneralDefinitions.h OTF2_version_lines
    REGEX "^#define OTF2_VERSION_(MAJOR|MINOR|BUGFIX) +[0-9]+")
  string(REGEX MATCHALL " [0-9]+" OTF2_VERSION "${OTF2_version_lines}")
  list(TRANSFORM OTF2_VERSION STRIP)
  list(JOIN OTF2_VERSION "." OTF2_VERSION)
  unset(OTF2_version_lines)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2
  REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR
  VERSION_VAR OTF2_VERSION
  REASON_FAILURE_MESSAGE "install libotf2-trace-dev (scripts/install-packages build does)")

if(OTF2_FOUND AND NOT TARGET OTF2::otf2)
  # Headers of an imported target are system headers: their warnings are not ours to fix.
  add_library(OTF2::otf2 UNKNOWN IMPORTED)
  set_target_properties(OTF2::otf2 PROPERTIES
    IMPORTED_LOCATION ${OTF2_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OTF2_INCLUDE_DIR})
endif()
