# Installs the build in BUILD_DIR below WORK_DIR, then builds and runs this directory's project with
# it: through find_package(dcube), and through pkg-config if there is one. Also builds plug-ins, and
# runs them with the installed program.

cmake_minimum_required(VERSION 3.25)

set(prefix ${WORK_DIR}/prefix)
set(moved ${WORK_DIR}/moved)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_result program)
  run(${program} ${scenario})
  if(NOT output MATCHES "\"outcome\": *\"completed\"")
    message(FATAL_ERROR "${program} ${scenario} did not complete:\n${output}")
  endif()
  if(NOT output MATCHES "xor wins\n")
    message(FATAL_ERROR "${program} compared no embeddings:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${prefix})
# An installed tree may be moved as a whole.
file(RENAME ${prefix} ${moved})

file(GLOB_RECURSE scenario ${moved}/share/*/scenarios/quickstart.json)
if(NOT scenario)
  message(FATAL_ERROR "scenarios/quickstart.json is not installed below ${moved}/share")
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX} -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}"
  -D CMAKE_PREFIX_PATH=${moved})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CONFIG})
expect_result(${WORK_DIR}/build/consumer)
run(${WORK_DIR}/build/with_scotch)
if(NOT output MATCHES "16 processes placed")
  message(FATAL_ERROR "with_scotch placed no processes:\n${output}")
endif()

# A project each: the installed examples, and libraries that are not plug-ins.
file(GLOB_RECURSE example ${moved}/share/*/examples/cannon.cpp)
if(NOT example)
  message(FATAL_ERROR "examples/cannon.cpp is not installed below ${moved}/share")
endif()
cmake_path(GET example PARENT_PATH examples)
foreach(project IN ITEMS ${examples} ${CMAKE_CURRENT_LIST_DIR}/plugins)
  cmake_path(GET project FILENAME name)
  run(${CMAKE_COMMAND} -S ${project} -B ${WORK_DIR}/${name}_build -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${CXX}
    -D "CMAKE_CXX_FLAGS=${CXX_FLAGS} -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
    -D CMAKE_PREFIX_PATH=${moved})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/${name}_build --config ${CONFIG})
  file(GLOB built ${WORK_DIR}/${name}_build/*.so)
  file(COPY ${built} DESTINATION ${WORK_DIR}/plugins)
endforeach()
run(${CMAKE_COMMAND} -E env DCUBE_PROGRAM=${moved}/bin/dcube DCUBE_EXAMPLES=${examples}
  DCUBE_PLUGINS=${WORK_DIR}/plugins DCUBE_ROOT=${SOURCE_DIR}
  ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/plugins_test.py)

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(STATUS "pkg-config is missing: dcube.pc is not checked")
  return()
endif()
file(GLOB_RECURSE pc_file ${moved}/lib*/dcube.pc)
cmake_path(GET pc_file PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
run(${PKG_CONFIG} --modversion dcube)
string(STRIP "${output}" output)
if(NOT output STREQUAL VERSION)
  message(FATAL_ERROR "dcube.pc says version ${output}, the project ${VERSION}")
endif()
run(${PKG_CONFIG} --cflags --libs dcube)
separate_arguments(flags UNIX_COMMAND "${output}")
separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
run(${CXX} -std=c++20 ${cxx_flags} ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp ${flags}
  -o ${WORK_DIR}/pkg_config_consumer)
expect_result(${WORK_DIR}/pkg_config_consumer)
