#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dcube {

/// Flows as if the processes of a class were clones: each pair of two classes, and each within one,
/// has the least weight of all such pairs. What is left of the flows is negative nowhere.
struct FlowClasses {
  std::vector<std::vector<std::uint32_t>> members{};  ///< by class
  std::vector<std::uint64_t> weights{};               ///< of two classes

  std::size_t size() const { return members.size(); }
  std::uint64_t weight(std::size_t a, std::size_t b) const { return weights[a * size() + b]; }
  std::uint64_t member_count(std::size_t of_class) const { return members[of_class].size(); }
  /// The sum of all weights within classes, and of those between two of them.
  std::uint64_t own_flow(std::size_t of_class) const;
  std::uint64_t flow(std::size_t a, std::size_t b) const;
  std::uint64_t flow_of(std::size_t of_class) const;
  std::uint64_t total_flow() const;
};

/// At most so many classes of some `processes`, by `weights` of all pairs (`process_count` squared,
/// symmetric): classes are merged, or dropped with their flows, as long as there are more, where
/// the least flow is left out. The one of the most flow within comes first, each other follows
/// those that it has most flow with.
FlowClasses merged_classes(std::span<const std::uint64_t> weights, std::size_t process_count,
                           std::span<const std::uint32_t> processes, std::size_t most);

}  // namespace dcube
