# Finds Scotch, which ships a CMake package only when it was built with CMake.
#
# Defines Scotch_FOUND, Scotch_VERSION and the imported target Scotch::scotch. CMAKE_PREFIX_PATH and
# Scotch_ROOT work as usual.

find_path(Scotch_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(Scotch_LIBRARY scotch)
mark_as_advanced(Scotch_INCLUDE_DIR Scotch_LIBRARY)

if(Scotch_INCLUDE_DIR)
  file(STRINGS ${Scotch_INCLUDE_DIR}/scotch.h Scotch_version_lines
    REGEX "^#define SCOTCH_(VERSION|RELEASE|PATCHLEVEL) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" Scotch_VERSION "${Scotch_version_lines}")
  list(JOIN Scotch_VERSION "." Scotch_VERSION)
  unset(Scotch_version_lines)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Scotch
  REQUIRED_VARS Scotch_LIBRARY Scotch_INCLUDE_DIR
  VERSION_VAR Scotch_VERSION
  REASON_FAILURE_MESSAGE "install libscotch-dev (scripts/install-packages build does)")

if(Scotch_FOUND AND NOT TARGET Scotch::scotch)
  # Headers of an imported target are system headers: their warnings are not ours to fix.
  add_library(Scotch::scotch UNKNOWN IMPORTED)
  set_target_properties(Scotch::scotch PROPERTIES
    IMPORTED_LOCATION ${Scotch_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Scotch_INCLUDE_DIR})
endif()
