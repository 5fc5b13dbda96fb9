# The book: a web site that Sphinx makes from docs/. Target `docs` and, with the tests, test docs/site,
# where DCUBE_DOCS is on and Sphinx is there.

option(DCUBE_DOCS "Make and install the book, if Sphinx and Doxygen are there" OFF)
if(DCUBE_DOCS)
  find_program(DCUBE_SPHINX sphinx-build)
  find_program(DCUBE_DOXYGEN doxygen)
  mark_as_advanced(DCUBE_SPHINX DCUBE_DOXYGEN)
  if(DCUBE_SPHINX AND DCUBE_DOXYGEN AND NOT CMAKE_CROSSCOMPILING)
    message(STATUS "The book: made with ${DCUBE_SPHINX}")
    set(make_book ${PROJECT_SOURCE_DIR}/scripts/docs --installed
      --program $<TARGET_FILE:dcube_app> --output ${PROJECT_BINARY_DIR}/docs)
    # scripts/docs reads again only what has changed.
    add_custom_target(docs ALL COMMAND ${make_book} COMMENT "Making the book" VERBATIM)
    add_dependencies(docs dcube_app)
    if(TARGET dcube_python)
      add_dependencies(docs dcube_python)  # whose docstrings it shows
    endif()
    install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR}
      COMPONENT doc
      PATTERN ".buildinfo" EXCLUDE PATTERN "objects.inv" EXCLUDE)
    if(DCUBE_BUILD_TESTS)
      add_test(NAME docs/site COMMAND ${make_book})
      set_tests_properties(docs/site PROPERTIES TIMEOUT 600 LABELS docs COST 60)
    endif()
  else()
    message(STATUS "The book: not made (Sphinx or Doxygen is missing; scripts/install-packages docs "
      "installs them on Debian)")
  endif()
endif()
