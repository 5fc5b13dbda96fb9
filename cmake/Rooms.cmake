# Rooms are compiled whole: the files of a folder as one, which takes less than half of the time
# of one by one, because much of it goes into headers that they share. CMAKE_UNITY_BUILD (on in the presets
# `release` and `asan`) decides; the presets `dev` and `clang` compile every file by itself, so a file
# that lacks an include does not stay unnoticed.
# What a file names in its unnamed namespace, no other file of its group may name.

# Files of one folder form a group.
function(compile_rooms_whole target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" file ${source})  # wherever the tree is
    # Small folders share a group.
    if(file MATCHES "^src/app/[a-q]")
      set(room commands-a-to-q)
    elseif(file MATCHES "^src/app/")
      set(room commands-r-to-z)
    elseif(file MATCHES "^src/(runs|questions|show)/")
      set(room runs-and-questions)
    # Tests that only read scenarios need not load SimGrid.
    elseif(file MATCHES "^src/scenario/(run_scenario|result_writer)\\.")
      set(room scenario-runs)
    elseif(file MATCHES "^src/search/((objectives|proofs|walks)/|[a-z_]+\\.)")
      set(room search)
    elseif(file MATCHES "^src/(embedding|metrics)/")
      set(room embedding-and-metrics)
    else()
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME room)
    endif()
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${room})
  endforeach()
endfunction()

# Adds an object library of the sources of rooms.
function(add_rooms name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE dcube_inside dcube_warnings dcube_arithmetic)
  # The same objects serve the program, a shared library and the module for Python. A program is not
  # slower for it as long as nobody can put other functions in the place of the library's.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC collects garbage less often: 5 % of its time for 15 % more memory, 1.5 GB at most.
    target_compile_options(${name} PRIVATE --param=ggc-min-heapsize=524288)
  endif()
  compile_rooms_whole(${name})
endfunction()

# Optimises a target less than the -O3 of a release. docs/development.md says what that costs and saves.
function(optimise_less target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()
