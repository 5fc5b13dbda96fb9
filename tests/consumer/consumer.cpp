#include <iostream>

#include "dcube/questions/compare.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

int main(int argc, char** argv) {
  if (argc > 1) {
    dcube::Scenario scenario = dcube::load_scenario(argv[1]);
    std::cout << dcube::run_result_json(scenario, dcube::run_scenario(scenario));
    const dcube::Comparison comparison = dcube::compare({.scenario = {.file = argv[1]}});
    std::cout << comparison.best()->embedding << " wins\n";
  }
}
