# Finds SimGrid, which ships no CMake package of its own.
#
# Defines SimGrid_FOUND, SimGrid_VERSION and the imported target SimGrid::SimGrid. pkg-config says
# where to look first; CMAKE_PREFIX_PATH and SimGrid_ROOT work as usual. The version is that of the
# header.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_SimGrid QUIET simgrid)
endif()

find_path(SimGrid_INCLUDE_DIR simgrid/version.h HINTS ${PC_SimGrid_INCLUDE_DIRS})
find_library(SimGrid_LIBRARY simgrid HINTS ${PC_SimGrid_LIBRARY_DIRS})
mark_as_advanced(SimGrid_INCLUDE_DIR SimGrid_LIBRARY)

if(SimGrid_INCLUDE_DIR)
  file(STRINGS ${SimGrid_INCLUDE_DIR}/simgrid/version.h SimGrid_version_lines
    REGEX "^#define SIMGRID_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" SimGrid_VERSION "${SimGrid_version_lines}")
  list(JOIN SimGrid_VERSION "." SimGrid_VERSION)
  unset(SimGrid_version_lines)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid
  REQUIRED_VARS SimGrid_LIBRARY SimGrid_INCLUDE_DIR
  VERSION_VAR SimGrid_VERSION)

if(SimGrid_FOUND AND NOT TARGET SimGrid::SimGrid)
  # Headers of an imported target are system headers: their warnings are not ours to fix.
  add_library(SimGrid::SimGrid UNKNOWN IMPORTED)
  set_target_properties(SimGrid::SimGrid PROPERTIES
    IMPORTED_LOCATION ${SimGrid_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SimGrid_INCLUDE_DIR})
endif()
