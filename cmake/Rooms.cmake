# Rooms are compiled whole, the files of a folder as one: less than half of the time, much of which
# goes into shared headers. CMAKE_UNITY_BUILD decides (on in the presets `release` and `asan`); the
# presets `dev` and `clang` compile every file by itself, which shows files that lack an include.
# Names in the unnamed namespaces of a group must differ.

# Files of one folder form a group.
function(compile_rooms_whole target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC collects garbage less often: 5 % of its time for 15 % more memory, 1.5 GB at most.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" file ${source})  # wherever the tree is
    # Small folders share a group.
    if(file MATCHES "^src/app/(main|simulator)\\.")
      set(room main)
    elseif(file MATCHES "^src/app/[a-q]")
      set(room commands-a-to-q)
    elseif(file MATCHES "^src/app/")
      set(room commands-r-to-z)
    # Eigen's solvers take as long to compile as a room.
    elseif(file MATCHES "^src/questions/fit/least_squares\\.")
      set(room least-squares)
    elseif(file MATCHES "^src/(scenario|runs)/")
      set(room scenario-and-runs)
    elseif(file MATCHES "^src/(questions|show|report)/")
      set(room questions)
    elseif(file MATCHES "^src/search/((objectives|proofs|walks)/|[a-z_]+\\.)")
      set(room search)
    elseif(file MATCHES "^src/search/(subcubes|sums)/")
      set(room search-methods)
    elseif(file MATCHES "^src/(embedding|metrics)/")
      set(room embedding-and-metrics)
    else()
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME room)
    endif()
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${room})
  endforeach()
endfunction()

# Adds an object library of rooms' sources.
function(add_rooms name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE dcube_inside dcube_warnings dcube_arithmetic)
  # The same objects serve the program, a shared library and the module for Python. This makes the
  # program no slower as long as the library's functions cannot be interposed.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  compile_rooms_whole(${name})
endfunction()

# Optimises a target less than the -O3 of a release. docs/contributing/development.md has the costs and savings.
function(optimise_less target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()
