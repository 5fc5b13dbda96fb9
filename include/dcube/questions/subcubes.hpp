#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/questions/subcube_simulation.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/search/subcubes.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// Mapping of tasks to subcubes that is asked for. Texts are as on the command line of `dcube
/// subcubes`; one of `graph`, `traffic` and `random` says who communicates.
struct SubcubesRequest {
  std::string graph{};                        ///< file of a task graph
  std::string traffic{};                      ///< traffic file or shape
  std::shared_ptr<const Traffic> matrix{};    ///< traffic in memory, which `traffic` names
  std::string random{};                       ///< "tasks=25,ccp=0.2,w=20": drawn from the seed
  std::optional<std::uint32_t> dimensions{};  ///< of the cube; default: as few as fit
  std::optional<std::uint32_t> subcube{};     ///< dimensions; default: as the given mapping has
  std::string method = "annealing";           ///< or "paper", "random", "exhaustive"
  // At most one of these kinds of mappings; default: parallel.
  bool parallel = false;
  bool non_parallel = false;
  bool any = false;
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> restarts{};
  std::optional<std::uint32_t> moves{};     ///< at each temperature
  std::string evaluate{};                   ///< file of a mapping, which is measured
  std::string map{};                        ///< map of the nodes of a reduction, which is measured
  std::string hosts{};                      ///< what nodes are called in `map`
  std::optional<std::uint32_t> simulate{};  ///< number of mappings to simulate
  std::string machine{};                    ///< on which nodes of the cube are; empty: a hypercube

  /// What says who communicates.
  std::string source() const;
  /// Whether a mapping is measured instead of being looked for.
  bool has_mapping() const;
  /// Throws InputError where more than one is chosen.
  MappingKind kind() const;
  /// Names of methods.
  static const std::vector<std::string>& methods();
};

/// Tasks, the cube they are mapped to, and the mapping to measure, if one is given.
struct SubcubesTask {
  SubcubeProblem problem;
  std::optional<SubcubeMapping> given{};
  Params labels{};  ///< of the task graph's file
};

/// A mapping found or given, and what is known about it.
struct SubcubesAnswer {
  std::string source;  ///< of the task graph
  const SubcubeProblem& problem;
  MappingKind kind = MappingKind::parallel;
  std::string method;  ///< "annealing"; "given" for a mapping that was read
  std::uint64_t seed = 0;
  SubcubeSearchResult result{};
  /// Average over random mappings of the kind; nothing where none was drawn.
  std::optional<std::uint64_t> random_bandwidth{};
  std::optional<SubcubeSimulation> simulation{};

  std::uint64_t bound = 0;  ///< lower bound of the bandwidth of any mapping of the kind
  std::string refuted{};    ///< a complaint about a bound that the mapping refutes; usually empty

  /// Excess of the mapping over the bound, as a share of it.
  std::optional<double> gap() const;
};

/// Throws InputError for what would be left unused without a word.
void check_subcubes_request(const SubcubesRequest& request);

/// Reads the tasks and a given mapping, and leaves out the nodes of the cube on which the machine
/// hosts nothing. Throws InputError.
SubcubesTask read_subcubes(const SubcubesRequest& request);

/// Refuses a machine on which tasks cannot exchange messages, before a long search begins.
void check_subcubes_machine(const SubcubesRequest& request, const SubcubesTask& task);

/// Measures the given mapping or looks for one, and simulates where that is asked for. `progress`
/// hears of the search and may end it. The task must outlive the answer. Throws InputError.
SubcubesAnswer answer_subcubes(const SubcubesRequest& request, const SubcubesTask& task,
                               const SubcubeSearchProgress& progress,
                               const SimulationLimits& limits);

/// A task of a mapping.
struct MappedTask {
  std::size_t task = 0;
  Subcube subcube;
  std::uint64_t bytes = 0;      ///< that a node of its subcube sends
  std::uint64_t bandwidth = 0;  ///< of these bytes
};
std::vector<MappedTask> mapped_tasks(const SubcubesAnswer& answer);
Columns<MappedTask> task_columns();

/// A row for every task.
std::string subcubes_csv(const SubcubesAnswer& answer);
/// A row for every mapping that was simulated.
std::string simulation_csv(const SubcubeSimulation& simulation);
/// The answer as JSON, as `dcube subcubes --json` prints it.
std::string subcubes_json(const SubcubesAnswer& answer);

/// "0*1", "1*1", ..
std::vector<std::string> texts(std::span<const Subcube> subcubes);

/// "non-parallel"
std::string to_string(MappingKind kind);

/// The task graph in which every node of a subcube is a task of its own, and the bytes that join
/// the copies of a task.
struct SubcubesReduction {
  Traffic graph;
  std::uint64_t joint = 0;
};
/// Throws InputError without a place.
SubcubesReduction reduction_of(const SubcubeProblem& problem);

/// Settings of the exchange of the tasks on a machine. Throws InputError.
ExchangeScenario exchange_on(const std::string& machine, const SubcubeProblem& problem);

/// Checks that no mapping beats the parallel ones, for all task graphs: of one size, or of those
/// that are cheap when neither is given. `on_size` hears of each before. Throws InputError.
std::vector<ConjectureCheck> check_conjectures(
    std::optional<std::uint32_t> subcube, std::optional<std::uint32_t> dimensions,
    const std::function<void(std::uint32_t subcube, std::uint32_t dimensions)>& on_size);

/// Two subcubes of one cube. Throws InputError.
std::pair<Subcube, Subcube> subcube_pair(const std::vector<std::string>& addresses);

}  // namespace dcube
