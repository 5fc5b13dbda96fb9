#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/spheres.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

/// A partner of a process, and the weight of a hop between the two, both directions together.
struct Partner {
  ProcessId process;
  std::uint64_t weight = 0;
};

/// The traffic as an undirected graph: distances are the same both ways.
class Partners {
 public:
  Partners(const Traffic& traffic, FlowWeight weight);
  /// Weighs flows by the objective's FlowWeight.
  Partners(const Traffic& traffic, Objective objective)
      : Partners{traffic, traits_of(objective).flow_weight} {}

  /// Copy in which the process at `order[i]` has number i. The partners of a process are then in
  /// any order.
  Partners renumbered(std::span<const std::uint32_t> order) const;

  /// Groups of processes in place of processes: a pair of groups weighs what the pairs between them
  /// weigh together, and pairs within a group are left out. The partners of a group are in any
  /// order.
  Partners joined(std::span<const std::uint32_t> group, std::uint32_t group_count) const;

  /// Copy with the pairs for which keeps(process, partner) holds, from either end.
  template <class Keeps>
  Partners filtered(const Keeps& keeps) const {
    Partners some;
    some.first_.reserve(first_.size());
    for (std::uint32_t process = 0; process < process_count(); ++process) {
      some.first_.push_back(some.partners_.size());
      for (const Partner& partner : of(process)) {
        if (keeps(process, partner)) {
          some.partners_.push_back(partner);
          some.total_weight_ += process < partner.process.index() ? partner.weight : 0;
        }
      }
    }
    some.first_.push_back(some.partners_.size());
    return some;
  }

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(first_.size()) - 1; }
  /// Number of the first partner of a process among the partners of all; of process_count(), how
  /// many there are.
  std::size_t first(std::uint32_t process) const { return first_[process]; }
  /// Partners of the process, ascending.
  std::span<const Partner> of(std::uint32_t process) const {
    return std::span{partners_}.subspan(first_[process], first_[process + 1] - first_[process]);
  }
  /// Sum of the weights of all pairs.
  std::uint64_t total_weight() const { return total_weight_; }
  std::size_t most_partners() const;

  /// The weight of a pair along each dimension, when the pairs are those of a cube and all pairs of
  /// a dimension weigh the same; 0 for a dimension without flows.
  std::optional<std::vector<std::uint64_t>> cube_weights() const;

  /// A lower bound of the sum of weight times distance over all pairs, where a process has at most
  /// so many nodes of `slots` slots at each distance: its heaviest partners are on its own node and
  /// on the nearest ones. Every pair is seen from both ends. Partners past the last sphere do not
  /// count.
  std::uint64_t least_distances(const Spheres& spheres, std::uint32_t slots = 1) const;

 private:
  Partners() = default;

  std::vector<std::size_t> first_;
  std::vector<Partner> partners_;
  std::uint64_t total_weight_ = 0;
};

}  // namespace dcube
