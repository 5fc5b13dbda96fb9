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

Columns<SimulatedMapping> simulation_columns() {
  return {{"", Shown::nowhere, &SimulatedMapping::bandwidth, "bandwidth"},
          {"", Shown::nowhere, &SimulatedMapping::is_parallel, "parallel"},
          {"", Shown::nowhere, &SimulatedMapping::contended_s, "makespan_s"},
          {"", Shown::nowhere, &SimulatedMapping::uncontended_s, "makespan_uncontended_s"}};
}

ordered_json simulation_json(const std::optional<SubcubeSimulation>& simulation) {
  if (!simulation) {
    return nullptr;
  }
  return {{"machine", simulation->machine},
          {"contention", correlation_json(simulation->contended)},
          {"no_contention", correlation_json(simulation->uncontended)},
          {"mappings", json_rows<ordered_json>(simulation_columns(), simulation->mappings)}};
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

std::vector<MappedTask> mapped_tasks(const SubcubesAnswer& answer) {
  const SubcubeMapping& mapping = answer.result.mapping;
  auto tasks = numbered<std::size_t>(mapping.size(), [&](std::size_t task) {
    return MappedTask{task, mapping[task]};
  });
  for (const Flow& flow : answer.problem.graph().flows()) {
    MappedTask& task = tasks[flow.from.index()];
    task.bytes += flow.bytes;
    task.bandwidth += flow.bytes * pairing_distance(task.subcube, mapping[flow.to.index()]);
  }
  return tasks;
}

Columns<MappedTask> task_columns() {
  return {{"task", Shown::figure, &MappedTask::task, "task"},
          {"subcube", Shown::text, [](const MappedTask& task) { return task.subcube.text(); },
           "subcube"},
          {"bytes sent a node", Shown::count, &MappedTask::bytes, "bytes"},
          {"bandwidth", Shown::count, &MappedTask::bandwidth, "bandwidth"}};
}

std::string subcubes_csv(const SubcubesAnswer& answer) {
  return csv_table(task_columns(), mapped_tasks(answer));
}

std::string simulation_csv(const SubcubeSimulation& simulation) {
  return csv_table(simulation_columns(), simulation.mappings);
}

std::string subcubes_json(const SubcubesAnswer& report) {
  const SubcubeProblem& problem = report.problem;
  const SubcubeSearchResult& result = report.result;
  const SubcubeMetrics metrics = measure_subcubes(problem, result.mapping);
  ordered_json json{{"source", report.source},
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
