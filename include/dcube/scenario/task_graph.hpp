#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube {

/// A file of tasks that communicate, of where they are mapped, or of both.
struct TaskGraphFile {
  std::optional<Traffic> graph;
  std::optional<SubcubeMapping> mapping;
  Params labels{};  ///< its name and description, where it has them
};

/// Reads and checks a file of a task graph: {"schema_version": 1, "tasks": 3, "messages": [[0, 1,
/// 20], ..], "mapping": ["00*", ..]}. Throws InputError.
TaskGraphFile load_task_graph(const std::filesystem::path& file);

/// The text of a file for load_task_graph(). An empty mapping is left out.
std::string task_graph_json(const Traffic& graph, std::span<const Subcube> mapping,
                            const Params& labels = {});

/// A scenario in which the tasks exchange their messages once: the program subcube_exchange on a
/// hypercube, a node for each process.
struct ExchangeScenario {
  /// A machine's name, a file or a network; empty: a hypercube for the mapping on which a byte
  /// takes 1 us a hop.
  std::string machine;
  /// Contention of the links; default: the machine's own, which is on unless it says otherwise.
  std::optional<bool> contention;
  std::filesystem::path folder{};  ///< where the scenario will stand; empty: in the current one
  /// The machine's node for each node of the cube, where some of these are left out; then only
  /// nodes of tasks have a process. Empty: standard, and a process on every node of the cube.
  std::vector<NodeId> node_of_cube_node{};
};
/// Throws InputError when the machine is not there or its links have no one contention.
Params exchange_scenario(const Traffic& graph, std::span<const Subcube> mapping,
                         const ExchangeScenario& settings);
std::string exchange_scenario_json(const Traffic& graph, std::span<const Subcube> mapping,
                                   const ExchangeScenario& settings);

/// "tasks=25,ccp=0.2,w=20" or "tasks=25,edges=33,w=20", read. Other keys are left alone. Throws
/// InputError.
RandomTaskGraph read_random_task_graph(const Params& settings);
/// Keys of those settings.
std::span<const std::string> random_task_graph_keys();

}  // namespace dcube
