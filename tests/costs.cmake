# Expected seconds of the tests that take longest. ctest begins with them, so that no processor is idle at the end; once
# they have run, it goes by the times that they took. CMake includes this in every folder, for its tests, and ctest once,
# for tests that are discovered after the build.
set(costs
  pages/commands 90
  report/browser 75
  fuzz/readers 60
  consumer 60
  scripts/machine_plots_test 60
  packaging/debian_package 55
  report/browser_machines 55
  scripts/figure_plots_test 40
  app/sweep_test 35
  app/collective_test 33
  app/traffic_test 30
  app/search_test 30
  scripts/folder_test 30
  validation/search 30
  validation/collectives 30
  app/runs_test 26
  app/fabrics_test 25
  packaging/wheel 24
  python/interpreter_test 24
  app/weights_test 22
  app/fit_test 22
  app/interop_test 20
  app/search_proofs_test 20
  app/trace_test 20
  engine/SmallPrograms.AgreeWithThePlainSimulator 20
  pages/pictures 18
  scripts/search_test 16
  python/twins_test 16
  app/place_test 15
  app/compare_test 13
  search/Sums.TheNumberOfThreadsChangesNothing 14
  app/terminal_test 13
  app/usage_test 33
  fuzz/kill 13
  app/report_test 12
  python/types_test 12
  app/output_test 12
  questions/MakespanBound.NoRunOfAScenarioOfTheTreeIsFaster 12
  validation/placements 12
  validation/reality 11
  app/mpi_traffic_test 11
  app/networks_test 11
  engine/RandomCasesDifferential.MessagesThatTakeTurnsAgreeWithThePlainSimulator 11
  engine/RandomCasesDifferential.CollectivesInTheBackgroundAgreeWithThePlainSimulatorEventForEvent 10
  app/memory_test 10
  validation/subcubes 10)
while(costs)
  list(POP_FRONT costs test seconds)
  if(NOT CMAKE_PROJECT_NAME)  # ctest, which passes over tests that it does not know
    set_tests_properties(${test} PROPERTIES COST ${seconds})
  elseif(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST ${seconds})
  endif()
endwhile()
