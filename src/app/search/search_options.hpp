#pragma once

#include <string>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "dcube/search/search.hpp"

namespace dcube::app {

/// `dcube search` as it was called. An empty text: not given.
struct SearchOptions {
  ScenarioOptions scenario;
  std::string machine;
  std::string traffic;
  std::string weights;
  std::string objective = "hop-bytes";
  std::string method = "auto";
  std::string seed;
  std::string effort;
  std::string time_limit;
  CcCostOptions costs;
  std::string jobs;
  OutputOptions outputs;
  DisplayOptions display;

  bool has_scenario() const { return !scenario.file.empty(); }
};

void add_search_options(Parser& parser, SearchOptions& options);

/// Throws InputError for options that do not fit together, and names that mean nothing.
void check_search_options(const SearchOptions& options);

Objective objective_option(const std::string& text);

}  // namespace dcube::app
