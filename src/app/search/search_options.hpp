#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "dcube/questions/place.hpp"
#include "dcube/questions/search.hpp"

namespace dcube::app {

/// Outputs and display options of `dcube search` and `dcube place`.
struct SearchShow {
  OutputOptions outputs;
  DisplayOptions display;
};

/// Adds SCENARIO with its changes, --machine, --traffic, --weights and the options of nodes.
void add_subject_options(Parser& parser, SearchRequest& request);
/// Adds --objective, --method, --seed, --effort, --time-limit, --jobs and the costs of the CC
/// d-cube.
void add_steering_options(Parser& parser, SearchRequest& request);
/// Adds --output and --write.
void add_main_outputs(Parser& parser, SearchShow& show, std::vector<OutputKind> kinds);
void add_why_option(Parser& parser, bool& why);
/// Adds --why, --json and --quiet.
void add_display_options(Parser& parser, SearchRequest& request, SearchShow& show);

struct SearchCommand {
  std::vector<std::string> files{};  ///< files that its own options name
  std::function<const SearchAnswer&(const SearchListeners&)> ask;
  std::function<std::string(const std::vector<std::string>& files)> json;  ///< JSON of the answer
  std::function<std::string(const std::vector<std::string>& files)> text;
  /// The map that the found one is compared with; default: processes in order of the nodes.
  std::function<const EarlierMap&()> before{};
};

/// Asks, and shows the answer. Throws InputError.
ExitStatus show_search(const SearchCommand& command, SearchRequest& request,
                       const SearchShow& show);

}  // namespace dcube::app
