#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/lower_bounds.hpp"
#include "dcube/search/objective.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// What simulations of several maps give, in the order of the maps.
template <class Result>
struct Simulated {
  std::vector<std::optional<Result>> results;  ///< nothing for a run that failed, or was ended
  bool is_cut_short = false;                   ///< whether some were ended
};

/// The costs of several maps (node of each process) by simulation. The runs may go on side by side.
using Simulate = std::function<Simulated<std::uint64_t>(std::span<const std::vector<NodeId>>)>;

/// A program that does less of the same than the one whose makespan counts, as one that repeats
/// something more rarely.
struct BriefProgram {
  Simulate simulate{};
  double share = 1;  ///< of the time of a simulation of the whole program
};

/// What a link takes, in picoseconds: for a message to cross it when it is free, and from others.
struct LinkTimes {
  double latency = 0;
  double per_byte = 0;
  double busy_latency = 0;  ///< during which no other message crosses it
  double busy_per_byte = 0;

  bool operator==(const LinkTimes&) const = default;
};

/// A map to start from, and its origin: "xor", "scotch".
struct Start {
  std::string embedding;
  std::vector<NodeId> map;
};

/// Processes to place, the machine to place them on, and what to minimise. The referenced values
/// must outlive it.
struct SearchProblem {
  const Topology& topology;
  const Traffic& traffic;
  Objective objective = usual_objective;
  std::uint32_t slots = 1;  ///< processes that a node hosts at most, >= 1
  /// The shape of the processes, where it is known: the search then has more embeddings to start
  /// from.
  std::optional<Guest> guest{};
  LinkSharing sharing = LinkSharing::directed;  ///< for link_load
  Ticks cc_compute{0};                          ///< time of a stage, for cc_time
  Ticks cc_hop{1'000'000'000'000};              ///< time of a message over one link, for cc_time
  Ticks cc_local{0};                            ///< time of a message inside a node, for cc_time
  Simulate simulate{};                          ///< for makespan
  std::optional<BriefProgram> brief{};          ///< for makespan, where there is one
  std::optional<CostBound> hop_bytes_bound{};   ///< if the caller knows one
  std::optional<CostBound> makespan_bound{};    ///< for makespan, if the caller knows one
  std::vector<ObjectiveTerm> terms{};           ///< for weighted_sum, at least one
  std::uint64_t scale = 1;                      ///< divisor of a weighted sum where it is shown
  LinkRates rates{};                            ///< for link_time
  /// By link number, for estimates of a makespan; empty: messages take their bytes.
  std::vector<LinkTimes> link_times{};
  /// Those of the traffic, for estimates of a makespan, where there are several different ones.
  std::vector<Superstep> supersteps{};
  /// Node that each process must be on, if any; empty: no process is pinned.
  std::vector<std::optional<NodeId>> pins{};

  /// Maps that the caller knows, such as today's, to start from. Processes on nodes that host
  /// nothing go to the nearest free ones.
  std::vector<Start> known{};

  /// Slots of all nodes.
  std::uint64_t slot_count() const { return std::uint64_t{topology.node_count()} * slots; }
  /// Slots of the nodes that may host processes.
  std::uint64_t usable_slots() const { return std::uint64_t{topology.usable_count()} * slots; }
  bool has_unusable_nodes() const { return topology.usable_count() < topology.node_count(); }
  /// Whether a search has to leave the process where it is.
  bool is_pinned(std::uint32_t process) const { return !pins.empty() && pins[process].has_value(); }
  bool has_pins() const;
  /// Whether a search of sums moves groups of processes: from eight processes a usable node, and
  /// 513 usable slots, on.
  bool has_many_a_node() const;
  /// Whether there is more than one map.
  bool has_choice() const;
  /// The link under whose number the load of this one counts: the lower of both directions where
  /// they share a link.
  LinkId server_of(LinkId link) const;
  Goal goal() const { return {objective, terms, scale}; }
  bool has(bool ObjectiveTraits::*property) const { return goal().has(property); }
  /// Copy of the problem with another objective.
  SearchProblem with_objective(Objective other) const;
  /// What costs the same on another machine, or with other numbers of the processes: a copy without
  /// pins, known maps, simulation and shape.
  SearchProblem with(const Topology& machine, const Traffic& renumbered) const;
};

/// The bytes of a flow along each cube dimension, when the flows are exactly those of a cube: in a
/// dimension every process sends as much to its neighbour as any other. Nothing otherwise.
std::optional<std::vector<std::uint64_t>> cube_weights(const Traffic& traffic);

/// Throws InputError (no place) unless a search can be made: enough slots, pins that fit, a cube
/// for cc_time, rates for link_time, sums within 63 bits; MemoryError when it does not fit in
/// memory.
void check_problem(const SearchProblem& problem);
/// The part of it that is about the machine alone: costs of pairs count one distance for both ways.
void check_routes(const Topology& topology);
/// Whether a problem that passed with one objective has what its present one needs, sums within 63
/// bits included.
bool is_usable(const SearchProblem& problem);

/// The cost of a map, computed from scratch. Not for makespan. O(flows x dimensions).
std::uint64_t cost_of(const SearchProblem& problem, std::span<const NodeId> map);
/// The costs of several maps, simulated where the objective is.
Simulated<std::uint64_t> costs_of(const SearchProblem& problem,
                                  std::span<const std::vector<NodeId>> maps);

/// Whether the source of a bound names what every cost is a multiple of, if that raises the bound.
enum class UnitInSource { named, left_out };
/// Lower bounds of the cost, greatest first. There is at least one, which may be 0.
std::vector<CostBound> cost_bounds(const SearchProblem& problem,
                                   UnitInSource unit = UnitInSource::named);

/// Turns weights of costs over bounds into weights of costs: multiplies each by the greatest bound
/// over the term's own, to four digits. Needs a problem that check_problem() accepts. Throws
/// InputError (no place) where a term has no bound above 0, and what check_problem() throws for the
/// result.
void weigh_by_bounds(SearchProblem& problem);

/// Progress of a search.
struct SearchProgress {
  std::uint64_t done = 0;  ///< effort spent so far
  std::uint64_t effort = 0;
  std::uint64_t best = 0;
};

/// Callbacks that steer a search.
struct SearchControl {
  std::function<bool()> should_stop{};  ///< polled often; what was found so far is kept
  std::function<void(const SearchProgress&)> on_progress{};

  /// Reports how far a search is, and asks whether it has to stop.
  bool stops_at(const SearchProgress& progress) const {
    if (on_progress) {
      on_progress(progress);
    }
    return should_stop && should_stop();
  }
};

/// Ends the name of a known map whose processes on nodes that host nothing were moved.
inline constexpr std::string_view mended_suffix = ", repaired";

/// Cost of a start.
struct StartValue {
  std::string embedding;
  std::uint64_t cost = 0;
};

/// Result of a search.
struct FoundMap {
  std::vector<NodeId> map;
  std::uint64_t cost = 0;
  std::string origin;                ///< "xor", "annealing: affine maps over GF(2)", "scotch"
  std::uint64_t moves = 0;           ///< maps tried; 0 where that has no meaning
  bool is_cut_short = false;         ///< should_stop() ended it
  bool has_agreed = false;           ///< AnnealingSettings::agreement ended it
  std::vector<StartValue> starts{};  ///< the maps that were tried as starts
  /// Best maps of the brief program that were simulated with the whole one; 0 without one.
  std::uint64_t checked = 0;
  bool is_reordered = false;  ///< the best of them is not the best of the brief program
};

/// take_refuted() for the least cost among the found map and its starts.
std::string take_refuted(std::vector<CostBound>& bounds, const FoundMap& found);

/// Values the starts; the map is the first one of least cost. Starts whose simulation failed or was
/// ended are left out; the map is empty when none is left.
FoundMap best_of(const SearchProblem& problem, std::span<const Start> starts);

/// Best of the known maps and the structured embeddings that fit; `identity` always does. A folded
/// cube keeps its lowest, its highest and its heaviest dimensions inside nodes in turn.
FoundMap best_start(const SearchProblem& problem);

/// An effort that only SearchControl ends.
inline constexpr std::uint64_t endless_effort = std::uint64_t{1} << 60U;

struct AnnealingSettings {
  std::uint64_t seed = 1;
  std::uint64_t effort = 1'000'000;  ///< maps tried, or simulations for makespan
  /// Populations that end a search of sums of weight times distance before its effort: when so
  /// many, each from maps of its own, have come to the least cost, or twice as many have ended
  /// above the best start. 0: the search goes on.
  std::uint32_t agreement = 0;
  /// Threads for sums of weight times distance. The result does not depend on their number. With
  /// more than one, SearchControl is called by any of them, one at a time.
  std::uint32_t jobs = 1;
  /// Lower bound of the cost; default: the greatest of cost_bounds(). A map that reaches it ends
  /// the search. One that costs less shows that it is no bound, and ends nothing.
  std::optional<std::uint64_t> bound{};
  /// Called once, if no structured embedding reaches the bound.
  std::function<std::vector<Start>()> more_starts{};
};

/// Simulated annealing from the best start. Its moves are first bit permutations and affine maps
/// over GF(2) of the address. For sums of weight times distance (hop_bytes, average_dilation) walks
/// of exchanges follow, and on up to 256 places recombination and tabu search; for other
/// objectives relocations, swaps, swaps of blocks and reversals of segments. Deterministic unless
/// should_stop() ends it. Never worse than best_start().
FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control = {});

/// The effort after which anneal() seldom finds more: some seconds of maps tried, or simulations
/// for makespan.
std::uint64_t usual_effort(const SearchProblem& problem);
/// Default agreement where nobody has chosen an effort. The cost is then the least with great
/// likelihood.
inline constexpr std::uint32_t usual_agreement = 5;

/// Whether libscotch can be told of the machine: a line, ring, mesh, torus or hypercube, of which
/// nodes and links may have failed.
bool has_scotch_target(const Topology& topology);

/// libscotch's static mappings of the traffic onto the machine: one for each order in which the
/// neighbours of a process can be listed, up to three. Where several slots a node leave some free,
/// less than half, as many more have an excess over the mean. Where nodes have several slots and
/// half of them have room for all processes, as many mappings more are onto no more nodes than it
/// takes. Weights are bytes, or flows for average_dilation. What libscotch puts on a node beyond
/// its slots goes to the nearest free ones; it knows pins, but not what has failed on the way.
/// Deterministic. Throws InputError (no place) when libscotch has no target for the machine, and
/// when it fails.
std::vector<Start> scotch_starts(const SearchProblem& problem, std::uint64_t seed);
/// What makes each of scotch_starts(). `problem` must outlive it.
std::vector<std::function<Start()>> scotch_mappings(const SearchProblem& problem,
                                                    std::uint64_t seed);

/// The best of scotch_starts().
FoundMap map_with_scotch(const SearchProblem& problem, std::uint64_t seed);

/// A permutation of the nodes that keeps all distances (for link_load: all routes).
using Symmetry = std::vector<NodeId>;

/// One level of the enumeration: a process gets its node.
struct SearchLevel {
  ProcessId process;
  std::uint64_t tried = 0;   ///< partial maps made
  std::uint64_t pruned = 0;  ///< partial maps tried that cannot lead to the least cost
};

/// A proof by enumeration, with what a checker needs to repeat it.
struct ExhaustiveProof {
  FoundMap found;
  bool is_complete = false;          ///< every map was covered: `found` is an optimum
  std::vector<Symmetry> symmetries;  ///< used; the identity first
  std::vector<SearchLevel> levels;   ///< of the counting pass
  std::uint64_t optima = 0;          ///< number of maps of the least cost
  /// How many of the optima have process 0 on node 0.
  std::uint64_t optima_fixed = 0;
  /// How many of these `optima_fixed` maps have constant distances [X II.C]; 0 unless the traffic
  /// is a cube's and every process has flows.
  std::uint64_t optima_fixed_constant = 0;
};

struct ExhaustiveSettings {
  std::uint64_t effort = 200'000'000;  ///< partial maps at most
};

/// Branch and bound over all maps up to the machine's symmetries: a first pass finds the least
/// cost, a second counts the maps that reach it. The slots of a node are alike: a map says which
/// node hosts a process, and is counted once. docs/reference/search.md says what is enumerated and
/// pruned. Not for makespan.
ExhaustiveProof enumerate(const SearchProblem& problem, const ExhaustiveSettings& settings,
                          const SearchControl& control = {});

/// A combination of constant distances, ascending, and whether a cube can have it.
struct DistanceTrial {
  std::vector<std::uint32_t> distances;
  bool is_possible = false;
  std::vector<NodeId> witness;  ///< if possible, the node of each process of such a cube
};

/// Every combination of constant distances that a cube can have on the machine [X II.C].
struct ConstantDistanceProof {
  std::uint32_t dimensions = 0;
  std::uint32_t least_sum = 0;                     ///< of the distances
  std::vector<std::vector<std::uint32_t>> optima;  ///< combinations that reach it, ascending
  std::vector<DistanceTrial> trials;               ///< a prefix before the combinations it excludes
  bool is_complete = false;
  FoundMap found;  ///< a map of the first optimum, with the cost that the problem asks for
};

/// Tries all combinations of constant distances of a cube that fills the machine. Throws InputError
/// (no place) unless the traffic is that of a cube that fills a ring, torus or hypercube, whose
/// nodes have one slot and none of whose processes is pinned.
ConstantDistanceProof enumerate_constant_distances(const SearchProblem& problem,
                                                   const ExhaustiveSettings& settings,
                                                   const SearchControl& control = {});

}  // namespace dcube
