# Joins files of the report page: the scripts into script.js, the charts (Vega specifications) into
# one JSON object charts.json by file name, and the modules of Vega into vega.js.
#
# cmake -D PAGE_DIR=src/report/page -D OUTPUT_DIR=d -D "SCRIPTS=a.js;b.js" -D "CHARTS=x.vg.json"
#       -D "VEGA_FILES=vega-util.min.js;.." -P join_page.cmake

cmake_minimum_required(VERSION 3.25)

# file(READ) and string(APPEND) keep semicolons and brackets as they are, unlike lists.
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ "${file}" content)
  string(APPEND script "${content}\n")
endforeach()
file(WRITE "${OUTPUT_DIR}/script.js" "${script}")

set(charts "{")
foreach(file IN LISTS CHARTS)
  get_filename_component(name "${file}" NAME)
  string(REPLACE ".vg.json" "" name "${name}")
  file(READ "${file}" content)
  if(NOT charts STREQUAL "{")
    string(APPEND charts ",\n")
  endif()
  string(APPEND charts "\"${name}\": ${content}")
endforeach()
file(WRITE "${OUTPUT_DIR}/charts.json" "${charts}}\n")

# Each module is written for a loader of the CommonJS kind, which prologue.js provides.
file(READ "${PAGE_DIR}/library/prologue.js" library)
foreach(file IN LISTS VEGA_FILES)
  get_filename_component(name "${file}" NAME)
  string(REPLACE ".min.js" "" name "${name}")
  file(READ "${file}" content)
  # Developer tools would request the file.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" content "${content}")
  string(APPEND library
    "define_module(\"${name}\", function (exports, module, require) {\n${content}\n});\n")
endforeach()
file(READ "${PAGE_DIR}/library/epilogue.js" epilogue)
string(APPEND library "${epilogue}")
string(FIND "${library}" "</script" end_tag)
if(NOT end_tag EQUAL -1)
  message(FATAL_ERROR "the library holds </script, which would end the element it stands in")
endif()
file(WRITE "${OUTPUT_DIR}/vega.js" "${library}")
