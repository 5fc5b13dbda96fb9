# Finds Clp, the linear programming solver of COIN-OR, which ships no CMake package.
#
# Defines Clp_FOUND, Clp_VERSION and the imported target Clp::Clp. pkg-config says where to look
# first; CMAKE_PREFIX_PATH and Clp_ROOT work as usual.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_Clp QUIET clp)
endif()

find_path(Clp_INCLUDE_DIR coin/ClpSimplex.hpp HINTS ${PC_Clp_INCLUDE_DIRS}/..)
find_library(Clp_LIBRARY Clp HINTS ${PC_Clp_LIBRARY_DIRS})
find_library(Clp_CoinUtils_LIBRARY CoinUtils HINTS ${PC_Clp_LIBRARY_DIRS})
mark_as_advanced(Clp_INCLUDE_DIR Clp_LIBRARY Clp_CoinUtils_LIBRARY)
set(Clp_VERSION ${PC_Clp_VERSION})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Clp
  REQUIRED_VARS Clp_LIBRARY Clp_CoinUtils_LIBRARY Clp_INCLUDE_DIR
  VERSION_VAR Clp_VERSION
  REASON_FAILURE_MESSAGE "install coinor-libclp-dev (scripts/install-packages build does)")

if(Clp_FOUND AND NOT TARGET Clp::Clp)
  # Headers of an imported target are system headers: their warnings are not ours to fix.
  add_library(Clp::Clp UNKNOWN IMPORTED)
  set_target_properties(Clp::Clp PROPERTIES
    IMPORTED_LOCATION ${Clp_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Clp_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES ${Clp_CoinUtils_LIBRARY})
endif()
