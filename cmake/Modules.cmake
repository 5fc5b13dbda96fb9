# What needs a library of its own: SimGrid, readers of traces, MPI, SQLite. Each is a module that the program
# loads when it is used, so that nothing else pays for the library.
#
# Sets modules, their targets, and module_folders, a source of the library that says where they
# are.

function(add_module target file)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${file} UNITY_BUILD OFF INSTALL_RPATH_USE_LINK_PATH ON
    CXX_VISIBILITY_PRESET hidden
    # Beside the program, where it looks first.
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(${target} PRIVATE src)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_link_libraries(${target} PRIVATE dcube_warnings)
  set(modules ${modules} ${target} PARENT_SCOPE)
endfunction()

# Says what the program does with the library of a module, or why it does not.
function(report_module option target subject does does_not missing)
  if(TARGET ${target})
    message(STATUS "${subject}: ${does}")
  elseif(${option})
    message(STATUS "${subject}: ${does_not} (${missing})")
  else()
    message(STATUS "${subject}: ${does_not} (${option} is off)")
  endif()
endfunction()

set(modules "")

if(NOT BUILD_SHARED_LIBS)  # else it is in libdcube
  add_module(dcube_simgrid dcube-simgrid
    src/engine/modules/simgrid_module.cpp $<TARGET_OBJECTS:dcube_on_simgrid>)
  target_include_directories(dcube_simgrid PRIVATE include)
  target_link_libraries(dcube_simgrid PRIVATE SimGrid::SimGrid fmt::fmt)
  # It calls its own simulate(), not that of the program, which calls it.
  target_link_options(dcube_simgrid PRIVATE LINKER:-Bsymbolic-functions)
endif()

option(DCUBE_OTF2 "Read OTF2 traces of Score-P (libotf2), if the library is there" ON)
if(DCUBE_OTF2)
  find_package(OTF2 3.0 QUIET)
  if(OTF2_FOUND)
    add_module(dcube_otf2 dcube-otf2 src/workload/modules/otf2_module.cpp)
    target_link_libraries(dcube_otf2 PRIVATE OTF2::otf2)
  endif()
endif()
report_module(DCUBE_OTF2 dcube_otf2 "OTF2 traces" "read with libotf2 ${OTF2_VERSION}" "not read"
  "libotf2 3.0 or newer is missing; on Debian install libotf2-trace-dev")

option(DCUBE_CHAKRA "Read Chakra execution traces (protobuf), if the library is there" ON)
if(DCUBE_CHAKRA)
  find_package(Protobuf 3.12 QUIET)
  if(Protobuf_FOUND AND Protobuf_PROTOC_EXECUTABLE AND TARGET protobuf::libprotobuf-lite)
    set(chakra_messages ${PROJECT_BINARY_DIR}/generated/chakra)
    file(MAKE_DIRECTORY ${chakra_messages})
    add_custom_command(
      OUTPUT ${chakra_messages}/chakra_trace.pb.cc ${chakra_messages}/chakra_trace.pb.h
      COMMAND ${Protobuf_PROTOC_EXECUTABLE} --cpp_out=${chakra_messages}
        --proto_path=${PROJECT_SOURCE_DIR}/src/workload/modules chakra_trace.proto
      DEPENDS src/workload/modules/chakra_trace.proto
      COMMENT "Generating the messages of Chakra traces"
      VERBATIM)
    # Without the warnings of this project: the code is that of protoc.
    add_library(dcube_chakra_messages STATIC ${chakra_messages}/chakra_trace.pb.cc)
    set_target_properties(dcube_chakra_messages PROPERTIES
      POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF CXX_VISIBILITY_PRESET hidden)
    target_include_directories(dcube_chakra_messages SYSTEM PUBLIC ${chakra_messages})
    target_link_libraries(dcube_chakra_messages PUBLIC protobuf::libprotobuf-lite)
    add_module(dcube_chakra dcube-chakra src/workload/modules/chakra_module.cpp)
    target_link_libraries(dcube_chakra PRIVATE dcube_chakra_messages)
  endif()
endif()
report_module(DCUBE_CHAKRA dcube_chakra "Chakra traces" "read with protobuf ${Protobuf_VERSION}"
  "not read" "protobuf is missing; on Debian install libprotobuf-dev and protobuf-compiler")

option(DCUBE_MPI "Share the runs of a sweep by MPI, if the library is there" ON)
if(DCUBE_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    add_module(dcube_mpi dcube-mpi src/runs/modules/mpi_module.cpp)
    target_link_libraries(dcube_mpi PRIVATE MPI::MPI_CXX)
    target_compile_definitions(dcube_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  endif()
endif()
report_module(DCUBE_MPI dcube_mpi "dcube sweep" "shares runs by MPI ${MPI_CXX_VERSION}"
  "does not share runs by MPI" "it is missing; on Debian install libopenmpi-dev")

option(DCUBE_SQLITE "Write the runs of a sweep as SQLite databases, if the library is there" ON)
if(DCUBE_SQLITE)
  find_package(SQLite3 3.24 QUIET)
  if(SQLite3_FOUND)
    add_module(dcube_sqlite dcube-sqlite src/runs/modules/sqlite_module.cpp)
    target_link_libraries(dcube_sqlite PRIVATE SQLite::SQLite3)
  endif()
endif()
report_module(DCUBE_SQLITE dcube_sqlite "dcube sweep" "writes databases with SQLite ${SQLite3_VERSION}"
  "writes no databases" "SQLite is missing; on Debian install libsqlite3-dev")

# An installed tree may be moved as a whole, so the program looks relative to itself first.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
  OUTPUT_VARIABLE program_to_libraries)
set(module_folders ${PROJECT_BINARY_DIR}/generated/module_folders.cpp)
configure_file(src/workload/modules/module_folders.cpp.in ${module_folders} @ONLY)
