#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "map_cost.hpp"
#include "partners.hpp"

namespace dcube {

/// Draws small changes of a map: exchanges what two nodes, two blocks of nodes or the two halves of
/// a segment host. Nodes may be empty.
class Moves {
 public:
  /// The arguments must outlive it.
  Moves(const SearchProblem& problem, const Partners& partners);

  void assign(std::span<const NodeId> map);
  /// Draws a change of the map, which keep() then makes. It is not empty if there are two nodes and
  /// a process.
  std::span<const Relocation> draw(SplitMix64& random);
  void keep();

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  void exchange(std::uint32_t node, std::uint32_t other);
  void put(std::uint32_t process, std::uint32_t node);
  void draw_pull(SplitMix64& random);
  void draw_swap(SplitMix64& random);
  void draw_blocks(SplitMix64& random);
  void draw_reversal(SplitMix64& random);

  const Partners& partners_;
  std::uint32_t nodes_;
  std::vector<std::vector<NodeId>> neighbours_;
  std::vector<std::uint32_t> occupant_;
  std::vector<std::uint32_t> node_of_;
  std::vector<Relocation> changes_;
  std::vector<std::uint32_t> emptied_;  ///< nodes whose process leaves; another may come
};

}  // namespace dcube
