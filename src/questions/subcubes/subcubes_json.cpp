#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/questions/subcubes.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

ordered_json correlation_json(const Correlation& values) {
  return {{"pearson", values.pearson}, {"spearman", values.spearman}};
}

ordered_json simulation_json(const std::optional<SubcubeSimulation>& simulation) {
  if (!simulation) {
    return nullptr;
  }
  return {{"machine", simulation->machine},
          {"contention", correlation_json(simulation->contended)},
          {"no_contention", correlation_json(simulation->uncontended)},
          {"mappings", mapped(simulation->mappings, [](const SimulatedMapping& mapping) {
             return ordered_json{{"bandwidth", mapping.bandwidth},
                                 {"parallel", mapping.is_parallel},
                                 {"makespan_s", mapping.contended_s},
                                 {"makespan_uncontended_s", mapping.uncontended_s}};
           })}};
}

}  // namespace

std::vector<std::string> texts(std::span<const Subcube> subcubes) {
  return mapped(subcubes, &Subcube::text);
}

std::string to_string(MappingKind kind) {
  return kind == MappingKind::parallel       ? "parallel"
         : kind == MappingKind::non_parallel ? "non-parallel"
                                             : "any";
}

std::string subcubes_json(const SubcubesAnswer& report) {
  const SubcubeProblem& problem = report.problem;
  const SubcubeSearchResult& result = report.result;
  const SubcubeMetrics metrics = measure_subcubes(problem, result.mapping);
  ordered_json json{
      {"source", report.source},
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
      {"random_bandwidth",
       report.random_bandwidth ? ordered_json(*report.random_bandwidth) : ordered_json(nullptr)},
      {"bound", report.bound},
      {"gap", report.gap()},
      {"optimal", result.is_optimal || result.bandwidth == report.bound},
      {"diameter", metrics.diameter},
      {"node_distance", metrics.node_distance},
      {"subcube_distance", metrics.subcube_distance},
      {"common_frontier", metrics.common_frontier},
      {"parallel", metrics.is_parallel},
      {"mapping", texts(result.mapping)},
      {"simulation", simulation_json(report.simulation)},
      {"dcube", {{"version", version()}}}};
  if (!problem.left_out().empty()) {
    json["left_out"] = mapped(problem.left_out(), &NodeId::index);
  }
  return json_layout(json);
}

}  // namespace dcube
