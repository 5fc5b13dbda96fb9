#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/embedding/subcube.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube {

// Mapping communicating tasks to subcubes of a hypercube [TS]: B.-R. Tsai, K. G. Shin, Mapping
// Concurrently-Communicating Subcubes in a Hypercube Multicomputer. Each task occupies a d-subcube
// of an n-cube; a message of w bytes from task i to task j makes every node of i's subcube send w
// bytes to its partner in j's. The best mapping has the least total bandwidth.

/// Problem (G, d, n) of [TS]. The constructor throws InputError (no place) unless there are tasks
/// and they fit, n is 1 to 20 and no bandwidth can pass 60 bits.
class SubcubeProblem {
 public:
  static constexpr std::uint32_t most_cube_dimensions = 20;

  /// Parallel subcubes without left-out nodes.
  struct Parallel {
    std::uint32_t stars;  ///< a bit for each *
    std::uint32_t room;   ///< number of the subcubes
  };

  /// `graph`: its processes are the tasks, its flows the weighted edges. `left_out`: nodes of the
  /// cube that no task may use, because they have failed or are kept free. Distances are those of
  /// the whole cube all the same.
  SubcubeProblem(Traffic graph, std::uint32_t subcube_dimensions, std::uint32_t cube_dimensions,
                 std::vector<NodeId> left_out = {});

  const Traffic& graph() const { return graph_; }
  std::uint32_t task_count() const { return graph_.process_count(); }
  std::uint32_t subcube_dimensions() const { return subcube_dimensions_; }
  std::uint32_t cube_dimensions() const { return cube_dimensions_; }
  /// How many disjoint subcubes the cube has room for: 2^(n-d).
  std::uint32_t slot_count() const {
    return std::uint32_t{1} << (cube_dimensions_ - subcube_dimensions_);
  }

  /// Nodes that no task may use, ascending, each once.
  std::span<const NodeId> left_out() const { return left_out_; }
  /// Whether no node of the subcube is left out.
  bool may_use(const Subcube& subcube) const;
  /// Positions of * at which all tasks have room; empty unless nodes are left out.
  std::span<const Parallel> parallel() const { return parallel_; }
  /// Whether a parallel mapping exists.
  bool has_parallel_mapping() const { return left_out_.empty() || !parallel_.empty(); }

 private:
  Traffic graph_;
  std::uint32_t subcube_dimensions_;
  std::uint32_t cube_dimensions_;
  std::vector<NodeId> left_out_;
  std::vector<bool> is_left_out_;  ///< by node; empty when none is
  std::vector<Parallel> parallel_;
};

/// The subcube of each task.
using SubcubeMapping = std::vector<Subcube>;

/// Kind of mapping to search for.
enum class MappingKind {
  parallel,      ///< all subcubes parallel to each other
  non_parallel,  ///< some subcubes are not parallel to each other
  any
};

bool is_parallel(std::span<const Subcube> mapping);

/// Throws InputError (no place) unless every task has a subcube of its own, of the problem's
/// dimensions, no two share a node, and none holds a node that is left out.
void check_mapping(const SubcubeProblem& problem, std::span<const Subcube> mapping);

/// Metrics of a mapping.
struct SubcubeMetrics {
  std::uint64_t bandwidth = 0;  ///< Phi: sum of w T over all messages
  std::uint32_t diameter = 0;   ///< the largest distance between nodes of communicating tasks
  double node_distance = 0;     ///< average M over the messages: hops of a node to its partner
  double subcube_distance = 0;  ///< average H over the messages
  std::uint32_t common_frontier = 0;  ///< the dimensions of the greatest common frontier
  bool is_parallel = false;
};
/// Needs a valid mapping.
SubcubeMetrics measure_subcubes(const SubcubeProblem& problem, std::span<const Subcube> mapping);
std::uint64_t bandwidth(const SubcubeProblem& problem, std::span<const Subcube> mapping);

/// A bound that no mapping of the kind can beat. At best a task's heaviest partners fill the places
/// 1, 2, .. hops away. Between parallel subcubes there are C(n-d, h) places h hops away; otherwise
/// any node sees C(n, h) - C(d, h) of them. In the sum over all tasks every edge counts twice. It
/// counts the places of the whole cube, so it holds where nodes are left out, too.
std::uint64_t bandwidth_bound(const SubcubeProblem& problem, MappingKind kind);

/// Progress of a search.
struct SubcubeSearchState {
  double done = 0;  ///< 0 .. 1; an estimate for an exhaustive search
  std::uint64_t best_bandwidth = 0;
};
/// Called now and then; false ends the search.
using SubcubeSearchProgress = std::function<bool(const SubcubeSearchState&)>;

struct SubcubeSearchResult {
  SubcubeMapping mapping;
  std::uint64_t bandwidth = 0;
  std::uint64_t start_bandwidth = 0;  ///< of the first mapping tried
  std::uint64_t tried = 0;            ///< moves, or partial mappings of an exhaustive search
  bool is_complete = true;            ///< the search came to its end
  bool is_optimal = false;            ///< no mapping of the kind is better
};

/// A parallel mapping is drawn evenly from all of them; any other is made of subcubes that random
/// cuts of the cube lead to, see SubcubeLayout. Nothing when there is no mapping of the kind; where
/// nodes are left out, mappings that are not parallel may exist although none is drawn.
std::optional<SubcubeMapping> draw_mapping(const SubcubeProblem& problem, MappingKind kind,
                                           SplitMix64& random);
/// draw_mapping() that throws InputError (no place) in place of nothing.
SubcubeMapping random_mapping(const SubcubeProblem& problem, MappingKind kind, SplitMix64& random);

/// How annealing changes a mapping.
enum class SubcubeMove {
  /// Two tasks swap their subcubes, or a task takes an unused one. Where the mapping need not be
  /// parallel, two neighbouring subcubes may also become two others that have the same nodes.
  swap,
  /// The subcubes of consecutive tasks, a random stretch, are reversed in order (2-opt) [TS 4]. The
  /// set of subcubes does not change.
  reversal
};

/// A schedule of simulated annealing. A move that adds D hops, each counted with its message's
/// weight over the average weight, is accepted with probability exp(-D / temperature).
struct SubcubeAnnealing {
  SubcubeMove move = SubcubeMove::swap;
  double start = 30;
  double cooling = 0.95;  ///< strictly between 0 and 1
  /// The temperature at which a hop more is accepted with probability 2^-31 [TS 4]: frozen.
  double stop = 1 / (31 * 0.693147180559945309);
  std::uint32_t moves = 24;  ///< at each of the 127 temperatures
  /// How often annealing starts, from a mapping drawn anew; the best result counts. With swaps, all
  /// but the first stay in a part of the cube that is not much larger than the tasks need.
  std::uint32_t restarts = 1;

  /// The annealing of [TS 4].
  static SubcubeAnnealing published();
  /// Swaps; the number of moves grows with the number of tasks.
  static SubcubeAnnealing thorough(const SubcubeProblem& problem);
};

/// Deterministic in the seed. Throws InputError (no place) when no mapping of the kind is drawn.
SubcubeSearchResult anneal_subcubes(const SubcubeProblem& problem, MappingKind kind,
                                    const SubcubeAnnealing& annealing, std::uint64_t seed,
                                    const SubcubeSearchProgress& progress = {});

/// The best of `count` random mappings.
SubcubeSearchResult best_random_mapping(const SubcubeProblem& problem, MappingKind kind,
                                        std::uint64_t count, std::uint64_t seed,
                                        const SubcubeSearchProgress& progress = {});

/// An optimal mapping, by branch and bound over all mappings of the kind up to the symmetries of
/// the cube. It is for small problems of up to about 9 tasks. Throws InputError (no place) when
/// there is no mapping of the kind, MemoryError when the cube has too many subcubes.
SubcubeSearchResult best_mapping(const SubcubeProblem& problem, MappingKind kind,
                                 const SubcubeSearchProgress& progress = {});

// --- Studies: averages over random task graphs ---

/// Parameters of a random task graph: in each drawn pair of tasks the lower sends to the higher.
struct RandomTaskGraph {
  std::uint32_t tasks = 25;
  /// Number of pairs, drawn evenly. Without it each pair is taken with `probability`.
  std::optional<std::uint64_t> edges;
  double probability = 0.2;
  std::uint64_t weight = 20;  ///< of every message
};
/// Needs no more edges than there are pairs, and a probability of 0 to 1. Throws InputError (no
/// place) when weights add up past 63 bits, MemoryError when there are too many pairs.
Traffic random_task_graph(const RandomTaskGraph& settings, SplitMix64& random);

enum class SubcubeMethod { random, published, annealing };
enum class SubcubeMeasure { bandwidth, diameter, node_distance, subcube_distance };

/// Study of many random task graphs.
struct SubcubeStudy {
  RandomTaskGraph graph;
  std::uint32_t subcube_dimensions = 0;
  std::uint32_t cube_dimensions = 1;
  MappingKind kind = MappingKind::parallel;
  SubcubeMethod method = SubcubeMethod::random;
  SubcubeMeasure measure = SubcubeMeasure::bandwidth;
  std::uint32_t repetitions = 100;
  std::uint64_t seed = 0;
};
/// The average of the measure over all graphs. Studies that differ only in kind, method or measure
/// see the same graphs. Throws InputError (no place).
double mean_of_study(const SubcubeStudy& study);

// --- Reduction to single nodes [TS 3] ---

/// Edges between the copies of a task.
enum class CopyEdges {
  cube,  ///< along all edges of a d-cube: copies joined by single links then form a subcube
  cycle  ///< in a cycle, as printed in [TS]; for d >= 3 a cycle of links need not be a subcube
};

/// G_X^d: 2^d copies of the graph. Copy x of task i is task i 2^d + x, and edges of weight `joint`
/// join the copies of a task. Any optimiser for single nodes then finds a mapping of (G, d, n).
/// Throws InputError (no place) when weights add up past 63 bits.
Traffic reduced_graph(const SubcubeProblem& problem, std::uint64_t joint,
                      CopyEdges edges = CopyEdges::cube);
/// A weight of joints that keeps copies together in every optimum. It is more than what a mapping
/// whose messages all take n hops costs above one whose messages all take one.
std::uint64_t sufficient_joint(const SubcubeProblem& problem);
/// The mapping of (G, d, n) that puts each copy on the node that `nodes` gives, all of them
/// different; nothing unless the copies of every task form a subcube. The mapping's bandwidth is at
/// most that of the messages between the copies, which cannot choose their partners.
std::optional<SubcubeMapping> mapping_of_copies(const SubcubeProblem& problem,
                                                std::span<const NodeId> nodes);

// --- The conjecture of [TS 3]: an optimal parallel mapping is optimal among all ---

/// The result of checking all task graphs.
struct ConjectureCheck {
  std::uint32_t subcube_dimensions = 0;
  std::uint32_t cube_dimensions = 0;
  /// Number of sets of disjoint subcubes, not all parallel, that cannot be extended by another, up
  /// to the symmetries of the cube.
  std::uint64_t packings = 0;
  /// Packings decided by one parallel mapping that is nowhere longer, and by a mixture of several.
  std::uint64_t by_one = 0;
  std::uint64_t by_mixture = 0;
  /// The first packing for which neither is known.
  std::optional<SubcubeMapping> undecided;

  bool holds() const { return !undecided; }
};

/// Decides the conjecture for (d, n) and every task graph with any weights at once. A packing m
/// beats no parallel mapping for any weights w >= 0 if a mixture of parallel mappings, shares l_p,
/// has sum l_p M_p(i, j) <= M_m(i, j) for all pairs of tasks: some p then has bandwidth
/// w M_p <= w M_m. By linear programming duality the conjecture holds only if there is a mixture
/// for each packing. Mixtures are found in floating point, made fractions and checked in whole
/// numbers. Smaller sets of tasks follow by leaving tasks out. Throws InputError (no place) for
/// n - d > 3 or n > 6. `progress` is told the share of packings that are done.
ConjectureCheck check_conjecture(std::uint32_t subcube_dimensions, std::uint32_t cube_dimensions,
                                 const SubcubeSearchProgress& progress = {});

}  // namespace dcube
