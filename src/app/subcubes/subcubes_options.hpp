#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/runs/runs_options.hpp"
#include "dcube/questions/subcubes.hpp"

namespace dcube::app {

/// The command line of `dcube subcubes`.
struct SubcubesOptions {
  SubcubesRequest request;
  OutputOptions outputs;
  RunsOptions runs;
  std::vector<std::string> pair;
  bool conjecture = false;
  DisplayOptions display;
};

void add_subcubes_options(Parser& parser, SubcubesOptions& options);

}  // namespace dcube::app
