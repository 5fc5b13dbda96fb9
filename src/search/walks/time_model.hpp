#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "search/objectives/map_cost.hpp"
#include "search/objectives/route_links.hpp"

namespace dcube {

/// Estimates by how much a change of a map makes a program slower, in a thousandth of the time of a
/// simulation. The program's own weights of the measures follow from what simulations answer:
///
/// * the time of all messages on their ways, as if alone: what chains of messages add up to;
/// * the norms of the times for which links are busy, of order 2, 4 and 8. The square of the first
///   is the time that all messages would wait if each met all others of its links; the last is near
///   the busiest link;
/// * where the supersteps are known, the same by superstep, added up: the norm of order 8 of the
///   times of its messages on their ways, and those of the times for which links are busy.
class TimeModel {
 public:
  static constexpr std::size_t measure_count = 8;
  /// Increases of the measures, relative to the map's.
  using Increases = std::array<double, measure_count>;

  using Weights = Increases;

  /// The problem must outlive it. All measures weigh the same.
  explicit TimeModel(const SearchProblem& problem);
  TimeModel(const SearchProblem& problem, const Weights& weights);

  void assign(std::span<const NodeId> map);
  Increases increases(std::span<const Relocation> changes);
  /// Makes the changes. Sums then differ from those of assign() by rounding.
  void keep(std::span<const Relocation> changes);
  /// The estimated relative increase of the makespan.
  double estimate(const Increases& increases) const;

  /// Notes the relative increase of the makespan that a simulation found.
  void note(const Increases& increases, double simulated);
  /// Fits the weights to what was noted, the latest most.
  void fit();

 private:
  /// Of the times of messages on their ways: order 8; of the busy times of links: 2, 4 and 8.
  static constexpr std::size_t norm_count = 4;
  using Norms = std::array<double, norm_count>;

  /// The whole run, or a superstep.
  struct Layer {
    double times = 1;
    double way_scale = 1;   ///< makes the greatest time of a message 1
    double busy_scale = 1;  ///< makes the greatest time of a link 1
    Norms powers{};         ///< sums of powers of scaled times
    Norms more{};           ///< by the change
    Norms norms{};
    bool is_touched = false;
  };
  /// What two processes send each other one way in a layer.
  struct Share {
    std::uint32_t layer;
    double bytes;
    double messages;
    double size;         ///< bytes of a message
    double way = 0;      ///< of a message
    double way_now = 0;  ///< after the change
  };
  /// For how long a link is busy in a layer, in picoseconds.
  struct Busy {
    double time = 0;
    double before = 0;         ///< the change that touched it last
    std::uint64_t change = 0;  ///< which that was
  };
  struct Touched {
    std::uint32_t place;
    std::uint32_t layer;
  };
  struct Pair {
    ProcessId from;
    ProcessId to;
    std::uint32_t first;  ///< in shares_
    std::uint32_t end;
  };

  void add_pairs();
  /// Takes the flows of the processes that change from their routes to the new ones.
  void move(std::span<const Relocation> changes);
  void add(const Pair& pair, NodeId from, NodeId to, double sign);
  void add_up_powers();
  static Norms norms_of(const Layer& layer, const Norms& powers);
  void forget_change();
  std::span<Share> shares_of(const Pair& pair) {
    return std::span{shares_}.subspan(pair.first, pair.end - pair.first);
  }
  NodeId new_node(ProcessId process) const {
    const NodeId node = moved_to_[process.index()];
    return node == nowhere ? map_[process.index()] : node;
  }

  static constexpr NodeId nowhere{~std::uint32_t{0}};

  const SearchProblem& problem_;
  RouteLinks routes_;
  std::vector<Layer> layers_;  ///< the whole run, then the supersteps
  std::vector<Pair> pairs_;
  std::vector<Share> shares_;
  std::vector<std::vector<std::uint32_t>> pairs_of_;  ///< [process]
  std::vector<std::uint32_t> server_;  ///< the link that carries a directed link's messages
  std::vector<NodeId> map_;
  std::vector<NodeId> moved_to_;  ///< [process]; nowhere: it stays
  double way_ = 0;                ///< of all messages
  double more_way_ = 0;           ///< by the change
  Norms sums_{};                  ///< of the norms of supersteps
  std::vector<Busy> busy_;        ///< [link * layers + layer]
  std::uint64_t change_ = 0;      ///< counts changes
  std::vector<Touched> touched_;  ///< by the change: the first `touched_count_`
  std::size_t touched_count_ = 0;
  std::vector<std::uint32_t> touched_layers_;
  std::vector<std::uint32_t> changed_;  ///< numbers of pairs
  // Least squares:
  std::array<Increases, measure_count> products_{};
  Increases answers_{};
  Weights usual_{};
  Weights weights_{};
};

/// The map of least estimate by a TimeModel with these weights, on a walk of so many steps from
/// `map`: a step takes less than a hundredth of the time of a simulation, and some of such maps are
/// faster than what simulations find around other starts. The same on every run unless
/// control.should_stop() ends it.
std::vector<NodeId> anneal_estimate(const SearchProblem& problem, std::vector<NodeId> map,
                                    const TimeModel::Weights& weights, std::uint64_t steps,
                                    SplitMix64& random, const SearchControl& control);

}  // namespace dcube
