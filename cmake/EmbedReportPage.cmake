# Compiles the files of the report page and the visualisation library into the program. Sets
# embedded_page, a source of the library.

set(page_dir ${PROJECT_SOURCE_DIR}/src/report/page)
set(joined_dir ${PROJECT_BINARY_DIR}/generated/page)
file(GLOB page_scripts CONFIGURE_DEPENDS ${page_dir}/*.js)
file(GLOB page_charts CONFIGURE_DEPENDS ${page_dir}/*.vg.json)
set(page_inputs ${page_scripts} ${page_charts} ${page_dir}/library/prologue.js
  ${page_dir}/library/epilogue.js ${Vega_FILES})
set(page_texts
  ${page_dir}/page.html ${page_dir}/page.css ${joined_dir}/script.js ${joined_dir}/charts.json
  ${joined_dir}/vega.js ${PROJECT_SOURCE_DIR}/src/report/sweep_page/sweep.html
  ${PROJECT_SOURCE_DIR}/src/report/sweep_page/sweep.js
  ${PROJECT_SOURCE_DIR}/src/report/answer_page/answer.html
  ${PROJECT_SOURCE_DIR}/src/report/answer_page/answer.js ${page_dir}/format.js
  ${page_dir}/colours.js ${PROJECT_SOURCE_DIR}/src/report/figures/curves.js)

add_custom_command(
  OUTPUT ${joined_dir}/script.js ${joined_dir}/charts.json ${joined_dir}/vega.js
  COMMAND ${CMAKE_COMMAND}
    -D PAGE_DIR=${page_dir} -D OUTPUT_DIR=${joined_dir}
    -D "SCRIPTS=${page_scripts}" -D "CHARTS=${page_charts}" -D "VEGA_FILES=${Vega_FILES}"
    -P ${PROJECT_SOURCE_DIR}/cmake/join_page.cmake
  DEPENDS ${page_inputs} cmake/join_page.cmake
  COMMENT "Joining the files of the report page"
  VERBATIM)

set(embedded_page ${PROJECT_BINARY_DIR}/generated/embedded_page.cpp)
add_custom_command(
  OUTPUT ${embedded_page}
  COMMAND ${CMAKE_COMMAND}
    -D OUTPUT=${embedded_page} -D HEADER=page_texts.hpp -D NAMESPACE=dcube::report
    -D "TEXTS=page_template;page_style;page_script;page_charts;vega_library;sweep_template;sweep_script;answer_template;answer_script;format_script;colours_script;curves_script"
    -D "FILES=${page_texts}"
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
  DEPENDS ${page_texts} cmake/embed_text.cmake
  COMMENT "Embedding the report page"
  VERBATIM)
set_property(SOURCE ${embedded_page} APPEND PROPERTY
  INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/src/report)
# The literals are longer than the standard guarantees; GCC and Clang take any length.
set_property(SOURCE ${embedded_page} APPEND PROPERTY COMPILE_OPTIONS -Wno-overlength-strings)
