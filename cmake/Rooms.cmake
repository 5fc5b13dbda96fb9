# Rooms are compiled whole: the files of a folder as one, which takes less than half of the time
# of one by one, because much of it goes into headers that they share. CMAKE_UNITY_BUILD (on in the presets
# `release` and `asan`) decides; the presets `dev` and `clang` compile every file by itself, so a file
# that lacks an include does not stay unnoticed.

# They name something in their unnamed namespaces that another file of their folder names, too.
set(compiled_alone
  src/app/reproduce/reproduction_report.cpp
  src/app/run/run_summary.cpp
  src/app/subcubes/subcubes_report.cpp
  src/app/trace_command.cpp
  src/core/json_writing.cpp
  src/embedding/gray.cpp
  src/engine/simulation.cpp
  src/interop/csv_map.cpp
  src/interop/dot.cpp
  src/interop/grf.cpp
  src/interop/hostfile.cpp
  src/interop/jax.cpp
  src/interop/json.cpp
  src/interop/mtx.cpp
  src/interop/rankfile.cpp
  src/interop/scotch.cpp
  src/interop/tgt.cpp
  src/program/maze_input.cpp
  src/program/maze_theory.cpp
  src/scenario/explicit_map.cpp
  src/scenario/result_writer.cpp
  src/scenario/task_graph_reader.cpp
  src/scenario/trace_summary_json.cpp
  src/search/exhaustive.cpp
  src/search/subcube_annealing.cpp
  src/search/subcube_exhaustive.cpp
  src/trace/paje.cpp
  tests/app/scaling_test.cpp
  tests/embedding/guest_test.cpp
  tests/interop/traffic_formats_test.cpp
  tests/program/cc_dcube_test.cpp
  tests/program/fft_test.cpp
  tests/program/load_balance_test.cpp
  tests/program/subcube_exchange_test.cpp
  tests/program/template_matching_test.cpp
  tests/program/tree_programs_test.cpp
  tests/report/result_file_test.cpp
  tests/search/constant_distances_test.cpp
  tests/topology/grid_test.cpp
  tests/trace/round_trip_test.cpp
  tests/trace/waiting_causes_test.cpp
)
list(TRANSFORM compiled_alone PREPEND ${PROJECT_SOURCE_DIR}/)

# Files of one folder form a group.
function(compile_rooms_whole target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${room})
  endforeach()
  set_property(SOURCE ${compiled_alone} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Adds an object library of the sources of rooms.
function(add_rooms name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE dcube_inside dcube_warnings dcube_arithmetic)
  # The same objects serve the program, a shared library and the module for Python. A program is not
  # slower for it as long as nobody can put other functions in the place of the library's.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  compile_rooms_whole(${name})
endfunction()

# Optimises a target that never runs for long a little less, which saves a quarter of its compilation.
function(optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
