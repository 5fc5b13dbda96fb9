#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "dcube/interop/host_names.hpp"
#include "node_options.hpp"
#include "runs/interrupt.hpp"
#include "search_children.hpp"
#include "search_report.hpp"
#include "search_traffic.hpp"

namespace dcube::app {

/// What to place where, and how to look for it, as the command line of `dcube search` and `dcube
/// place` says. An empty text: not given.
struct SearchRequest {
  ScenarioRequest scenario;
  std::string machine;
  std::string traffic;
  std::string weights;
  NodeOptions nodes;
  std::string against;  ///< today's map, of `dcube place`
  Goal goal;
  std::string method = "auto";
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> effort;
  TimeLimitOption time_limit;
  CcCostOptions costs;
  JobsOption jobs;
  bool why = false;
  OutputOptions outputs;
  DisplayOptions display;

  bool has_scenario() const { return !scenario.file.empty(); }
  /// Where a complaint about the whole problem happened.
  const char* place() const { return has_scenario() ? scenario.file.c_str() : "--traffic"; }
};

/// Adds SCENARIO with its changes, --machine, --traffic, --weights and the options of nodes.
void add_subject_options(Parser& parser, SearchRequest& request);
/// Adds --objective, --method, --seed, --effort, --time-limit, --jobs and the costs of the CC
/// d-cube.
void add_steering_options(Parser& parser, SearchRequest& request);

/// Adds --why.
void add_why_option(Parser& parser, bool& why);

/// Refuses options that do not fit together. `command`: "search".
void check_request(const SearchRequest& request, const char* command);

/// Tells the plan what is read.
void plan_reads(const SearchRequest& request, OutputPlan& plan);

/// What is searched: from a scenario or from options.
struct Subject {
  std::shared_ptr<const Machine> whole;    ///< with all its nodes
  std::shared_ptr<const Machine> machine;  ///< on whose nodes processes may be
  NamedTraffic traffic;
  HostNames hosts{};
  std::optional<CostBound> makespan_bound{};
  std::size_t jobs = 1;
  Params document{};            ///< of the scenario
  std::string source{};         ///< where that stands
  std::vector<NodeId> today{};  ///< the scenario's own map
  std::string embedding{};      ///< its name
  std::vector<std::filesystem::path> inputs{};
};

/// Returns nothing when SIGINT has come. Throws InputError.
std::optional<Subject> subject_of(const SearchRequest& request, const InterruptWatch& interrupt);

/// The problem that the method has to solve. Throws InputError. The arguments must outlive it.
SearchProblem problem_of(const SearchRequest& request, const Subject& subject, SearchWatch& watch);

/// Searches; the map is empty when nothing could be simulated. Throws InputError.
SearchOutcome searched(const SearchRequest& request, const Subject& subject,
                       const SearchProblem& problem, SearchWatch& watch);

/// Complains that there is no map.
ExitStatus without_map(const SearchRequest& request, SearchWatch& watch);

/// Whether the links of a route follow from its ends.
bool knows_routes(const Machine& machine);

}  // namespace dcube::app
