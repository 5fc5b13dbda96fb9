# Package dcube for Python: a module in C++ and files in Python. In the build folder it is
# python/dcube, whose Python files are those of the source tree.

# The package is for Debian's interpreter, whichever comes first on PATH.
find_program(Python_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
math(EXPR python_after "${Python_VERSION_MINOR} + 1")  # whose modules have other names
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 2.10 REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/*.cpp)
pybind11_add_module(dcube_python MODULE NO_EXTRAS ${python_sources})
set_target_properties(dcube_python PROPERTIES
  OUTPUT_NAME _dcube
  CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/dcube
  INSTALL_RPATH_USE_LINK_PATH ON)
target_link_libraries(dcube_python PRIVATE dcube dcube_inside dcube_warnings)
# Other modules of the interpreter may hold libraries of the same names.
target_link_options(dcube_python PRIVATE LINKER:--exclude-libs,ALL)
compile_rooms_whole(dcube_python)
optimise_less(dcube_python g)
if(modules)
  add_dependencies(dcube_python ${modules})
endif()

file(GLOB python_files CONFIGURE_DEPENDS
  RELATIVE ${PROJECT_SOURCE_DIR}/src/python/dcube ${PROJECT_SOURCE_DIR}/src/python/dcube/*.py
  ${PROJECT_SOURCE_DIR}/src/python/dcube/*.pyi ${PROJECT_SOURCE_DIR}/src/python/dcube/py.typed)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/dcube)
foreach(file IN LISTS python_files)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/python/dcube/${file}
    ${PROJECT_BINARY_DIR}/python/dcube/${file} SYMBOLIC)
endforeach()

# Debian's folder for packages. Below another prefix, PYTHONPATH must name it.
set(DCUBE_PYTHON_DIR lib/python3/dist-packages CACHE STRING
  "Where the package for Python is installed, below the prefix")
install(TARGETS dcube_python COMPONENT python LIBRARY DESTINATION ${DCUBE_PYTHON_DIR}/dcube)
install(DIRECTORY src/python/dcube DESTINATION ${DCUBE_PYTHON_DIR} COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
