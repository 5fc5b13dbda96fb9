# Installation and packages: the program, the library with its CMake and pkg-config files, and the
# data a user starts from.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dcube)
set(data_dir ${CMAKE_INSTALL_DATADIR}/dcube)

install(TARGETS dcube dcube_app EXPORT dcubeTargets FILE_SET HEADERS)
if(modules)
  install(TARGETS ${modules}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dcube
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/dcube)
endif()
install(EXPORT dcubeTargets NAMESPACE dcube:: DESTINATION ${package_dir})
# A separate export, because a plug-in needs none of the libraries that a static libdcube leaves to
# its user.
install(TARGETS dcube_plugin EXPORT dcubePluginTargets)
install(EXPORT dcubePluginTargets NAMESPACE dcube:: DESTINATION ${package_dir})

configure_package_config_file(cmake/dcubeConfig.cmake.in ${PROJECT_BINARY_DIR}/dcubeConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dcubeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES
    ${PROJECT_BINARY_DIR}/dcubeConfig.cmake
    ${PROJECT_BINARY_DIR}/dcubeConfigVersion.cmake
    cmake/FindClp.cmake
    cmake/FindScotch.cmake
    cmake/FindSimGrid.cmake
    cmake/FindSndFile.cmake
  DESTINATION ${package_dir})

# Path from the .pc file, so an installed tree may move; "../.." unless the library directory is
# nested, as in Debian's lib/x86_64-linux-gnu.
file(RELATIVE_PATH pc_to_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
# The user of a static library links its libraries, too.
if(BUILD_SHARED_LIBS)
  set(pc_requires Requires.private)
  set(pc_libs "")
else()
  set(pc_requires Requires)
  set(pc_libs " -lboost_context -lscotch")  # have no .pc files
endif()
configure_file(cmake/dcube.pc.in ${PROJECT_BINARY_DIR}/dcube.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dcube.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(directory IN ITEMS platforms scenarios schema validation)
  install(DIRECTORY ${directory} DESTINATION ${data_dir}
    FILES_MATCHING PATTERN "*.json" PATTERN "*.pgm" PATTERN "*.png" PATTERN "*.txt"
    PATTERN "*.csv" PATTERN "*.ti" PATTERN "*.goal" PATTERN "*.otf2" PATTERN "*.def" PATTERN "*.evt"
    PATTERN "*.et" PATTERN "*.tsv" PATTERN "balanced_routes.py" PATTERN "reality/*.py")
endforeach()
# `dcube compare --output` finds scripts beside the machines.
install(DIRECTORY scripts/ DESTINATION ${data_dir}/scripts
  USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "plot_*.py" PATTERN "plotting/*.py" PATTERN "check_certificate.py"
    PATTERN "certificates/*.py"
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "*.ipynb")
install(DIRECTORY examples DESTINATION ${data_dir}
  USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.json" PATTERN "CMakeLists.txt"
    PATTERN "mpi_traffic/*.c" PATTERN "mpi_traffic/hosts" PATTERN "mpi_traffic/pretend-hosts")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The manual page is made from the program's help, which a cross-compiled program cannot give here.
find_program(DCUBE_MAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(DCUBE_MAN_PYTHON python3)
mark_as_advanced(DCUBE_MAN_PYTHON)
if(DCUBE_MAN_PYTHON AND NOT CMAKE_CROSSCOMPILING)
  set(manual ${PROJECT_BINARY_DIR}/dcube.1)
  add_custom_command(
    OUTPUT ${manual}
    COMMAND ${DCUBE_MAN_PYTHON} ${PROJECT_SOURCE_DIR}/packaging/make-man
      $<TARGET_FILE:dcube_app> ${manual}
    DEPENDS dcube_app packaging/make-man
    COMMENT "Writing the manual page"
    VERBATIM)
  add_custom_target(dcube_manual ALL DEPENDS ${manual})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES packaging/dcube.bash-completion
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dcube)

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TGZ DEB)
  set(CPACK_PACKAGE_VENDOR dcube)
  set(CPACK_PACKAGE_CONTACT "the dcube authors <dcube@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION
    "dcube runs a parallel program on a simulated torus, mesh or hypercube, under one or
 several embeddings of its processes, and says which embedding takes the least time
 and why. The library and its headers are in this package, too.")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  # The library looks for its data below the prefix it was built for.
  set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # For pictures of a comparison, and completion of command lines.
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-matplotlib, bash-completion")
  # For linking the library.
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libsimgrid-dev, libboost-context-dev, libfmt-dev, libpng-dev, libscotch-dev, libsndfile1-dev, coinor-libclp-dev")
  # Up to three packages: the book, the one for Python, and all the rest.
  set(CPACK_COMPONENTS_ALL Unspecified)
  if(TARGET docs OR DCUBE_PYTHON_MODULE)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME dcube)
  endif()
  if(TARGET docs)
    list(APPEND CPACK_COMPONENTS_ALL doc)
    set(CPACK_DEBIAN_DOC_PACKAGE_NAME dcube-doc)
    set(CPACK_COMPONENT_DOC_DESCRIPTION
      "The book of dcube as a web site: tutorials, concepts, and a reference of commands, files, Python
 and C++. `dcube docs` opens it.")
    set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
    set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
    # The defaults are those of the program's package.
    set(CPACK_DEBIAN_DOC_PACKAGE_RECOMMENDS "xdg-utils")
    set(CPACK_DEBIAN_DOC_PACKAGE_SUGGESTS "dcube")
  endif()
  if(DCUBE_PYTHON_MODULE)
    list(APPEND CPACK_COMPONENTS_ALL python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dcube)
    set(CPACK_COMPONENT_PYTHON_DESCRIPTION
      "The package dcube for Python: simulations, programs that are written as generators,
 searches for embeddings; results are numpy arrays.")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    # It uses the program's data and readers of traces.
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "dcube (= ${PROJECT_VERSION}), python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${python_after}), python3-numpy")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-matplotlib, python3-pandas")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "jupyter-notebook")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
      ${PROJECT_SOURCE_DIR}/packaging/python3-dcube/postinst
      ${PROJECT_SOURCE_DIR}/packaging/python3-dcube/prerm)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  endif()
  include(CPack)
endif()
