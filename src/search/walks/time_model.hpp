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
/// simulation. The program's own weights of four measures follow from what simulations answer:
///
/// * the time of all messages on their ways, as if alone: what chains of messages add up to;
/// * the norms of the times for which links are busy, of order 2, 4 and 8. The square of the first
///   is the time that all messages would wait if each met all others of its links; the last is near
///   the busiest link.
class TimeModel {
 public:
  static constexpr std::size_t measure_count = 4;
  /// Increases of the measures, relative to the map's.
  using Increases = std::array<double, measure_count>;

  using Weights = Increases;
  static constexpr Weights usual_weights{0.25, 0.25, 0.25, 0.25};

  /// The problem must outlive it.
  explicit TimeModel(const SearchProblem& problem, const Weights& weights = usual_weights);

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
  /// Takes the flows of the processes that change from their routes to the new ones.
  void move(std::span<const Relocation> changes);
  /// A link's share in the way of a flow.
  void add(const Flow& flow, NodeId from, NodeId to, double sign);
  NodeId new_node(ProcessId process) const {
    const NodeId node = moved_to_[process.index()];
    return node == nowhere ? map_[process.index()] : node;
  }

  static constexpr NodeId nowhere{~std::uint32_t{0}};

  const SearchProblem& problem_;
  RouteLinks routes_;
  std::vector<std::vector<std::uint32_t>> flows_of_;  ///< [process]
  std::vector<std::uint32_t> server_;  ///< the link that carries a directed link's messages
  std::vector<NodeId> map_;
  std::vector<NodeId> moved_to_;  ///< [process]; nowhere: it stays
  double way_ = 0;
  double more_way_ = 0;       ///< by the change
  std::vector<double> busy_;  ///< picoseconds, by link
  std::vector<double> busy_before_;
  std::vector<bool> is_touched_;
  std::vector<std::uint32_t> touched_;  ///< links of the change
  double scale_ = 1;                    ///< makes the greatest time 1
  std::array<double, 3> powers_{};      ///< sums of the powers 2, 4 and 8 of scaled times
  // Least squares:
  std::array<Increases, measure_count> products_{};
  Increases answers_{};
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
