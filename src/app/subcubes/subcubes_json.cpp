#include "app/terminal/json_values.hpp"
#include "core/json_writing.hpp"
#include "subcubes_report.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

ordered_json correlation_json(const Correlation& values) {
  return {{"pearson", json_or_null(values.pearson)}, {"spearman", json_or_null(values.spearman)}};
}

ordered_json simulation_json(const std::optional<SubcubeSimulation>& simulation) {
  if (!simulation) {
    return nullptr;
  }
  ordered_json json{{"machine", simulation->machine},
                    {"contention", correlation_json(simulation->contended)},
                    {"no_contention", correlation_json(simulation->uncontended)},
                    {"mappings", ordered_json::array()}};
  for (const SimulatedMapping& mapping : simulation->mappings) {
    json["mappings"].push_back({{"bandwidth", mapping.bandwidth},
                                {"parallel", mapping.is_parallel},
                                {"makespan_s", json_or_null(mapping.contended_s)},
                                {"makespan_uncontended_s", json_or_null(mapping.uncontended_s)}});
  }
  return json;
}

}  // namespace

std::string subcube_json(const SubcubeReport& report) {
  const SubcubeProblem& problem = report.problem;
  const SubcubeSearchResult& result = report.result;
  const SubcubeMetrics metrics = measure_subcubes(problem, result.mapping);
  return json_layout({{"source", report.source},
                      {"tasks", problem.task_count()},
                      {"messages", problem.graph().flows().size()},
                      {"subcube", problem.subcube_dimensions()},
                      {"dimensions", problem.cube_dimensions()},
                      {"method", report.method},
                      {"kind", to_string(report.kind)},
                      {"seed", report.seed},
                      {"tried", result.tried},
                      {"complete", result.is_complete},
                      {"bandwidth", result.bandwidth},
                      {"start_bandwidth", result.start_bandwidth},
                      {"random_bandwidth", report.random_bandwidth},
                      {"bound", bound_of(report)},
                      {"gap", json_or_null(gap_of(report))},
                      {"optimal", result.is_optimal || result.bandwidth == bound_of(report)},
                      {"diameter", metrics.diameter},
                      {"node_distance", metrics.node_distance},
                      {"subcube_distance", metrics.subcube_distance},
                      {"common_frontier", metrics.common_frontier},
                      {"parallel", metrics.is_parallel},
                      {"mapping", texts(result.mapping)},
                      {"simulation", simulation_json(report.simulation)},
                      {"dcube", json_of_dcube()}});
}

std::string pair_json(const Subcube& a, const Subcube& b) {
  ordered_json json{{"first", a.text()},
                    {"second", b.text()},
                    {"H", hamming_distance(a, b)},
                    {"M", nullptr},
                    {"T", nullptr},
                    {"largest_distance", largest_distance(a, b)},
                    {"frontiers", {frontier(a, b).text(), frontier(b, a).text()}},
                    {"parallel", are_parallel(a, b)},
                    {"disjoint", hamming_distance(a, b) > 0}};
  if (a.dimensions() == b.dimensions()) {
    json["M"] = twice_mean_distance(a, b) / 2.0;
    json["T"] = pairing_distance(a, b);
  }
  return json_layout(json);
}

std::string conjecture_json(const std::vector<ConjectureCheck>& checks) {
  ordered_json json = ordered_json::array();
  for (const ConjectureCheck& check : checks) {
    json.push_back({{"subcube", check.subcube_dimensions},
                    {"dimensions", check.cube_dimensions},
                    {"packings", check.packings},
                    {"by_one", check.by_one},
                    {"by_mixture", check.by_mixture},
                    {"holds", check.holds() ? ordered_json(true) : ordered_json(nullptr)},
                    {"undecided", check.undecided ? ordered_json(texts(*check.undecided))
                                                  : ordered_json(nullptr)}});
  }
  return json_layout(json);
}

}  // namespace dcube::app
