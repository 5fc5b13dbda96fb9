#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"
#include "draws.hpp"
#include "map_cost.hpp"
#include "partners.hpp"

namespace dcube {

/// Draws small changes of a map: exchanges what two nodes, two blocks of nodes or the two halves of
/// a segment host. Nodes may be empty.
class Moves {
 public:
  /// The arguments must outlive it.
  Moves(const SearchProblem& problem, const Partners& partners)
      : partners_{partners},
        nodes_{problem.topology.node_count()},
        occupant_(nodes_, nobody),
        node_of_(problem.traffic.process_count()) {
    neighbours_.reserve(nodes_);
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      neighbours_.push_back(problem.topology.neighbours(NodeId{node}));
    }
  }

  void assign(std::span<const NodeId> map) {
    std::ranges::fill(occupant_, nobody);
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      node_of_[process] = map[process].index();
      occupant_[node_of_[process]] = process;
    }
  }

  /// Draws a change of the map, which keep() then makes. It is not empty if there are two nodes and
  /// a process.
  std::span<const Relocation> draw(SplitMix64& random) {
    changes_.clear();
    emptied_.clear();
    if (nodes_ < 2) {
      return changes_;
    }
    while (changes_.empty()) {
      // Most useful changes bring two partners next to each other. Alone they end in valleys, which
      // the other changes leave.
      const std::uint32_t kind = draw_below(random, 16);
      if (kind < 8) {
        draw_pull(random);
      } else if (kind < 12) {
        draw_swap(random);
      } else if (kind < 14) {
        draw_blocks(random);
      } else {
        draw_reversal(random);
      }
    }
    return changes_;
  }

  void keep() {
    for (const std::uint32_t node : emptied_) {
      occupant_[node] = nobody;
    }
    for (const Relocation& change : changes_) {
      node_of_[change.process.index()] = change.node.index();
      occupant_[change.node.index()] = change.process.index();
    }
  }

 private:
  /// Changes of longer blocks and segments cost as much as a whole map and are hardly ever
  /// accepted.
  static constexpr std::uint32_t longest_block = 32;
  static constexpr std::uint32_t longest_segment = 24;
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  void exchange(std::uint32_t node, std::uint32_t other) {
    if (node != other) {
      put(occupant_[node], other);
      put(occupant_[other], node);
    }
  }

  void put(std::uint32_t process, std::uint32_t node) {
    if (process != nobody) {
      changes_.push_back({ProcessId{process}, NodeId{node}});
      emptied_.push_back(node_of_[process]);
    }
  }

  /// Moves a process next to one of its partners.
  void draw_pull(SplitMix64& random) {
    const std::uint32_t process = draw_below(random, node_of_.size());
    const auto partners = partners_.of(process);
    if (partners.empty()) {
      return draw_swap(random);
    }
    const Partner& partner = partners[draw_below(random, partners.size())];
    const auto& beside = neighbours_[node_of_[partner.process.index()]];
    exchange(node_of_[process], beside[draw_below(random, beside.size())].index());
  }

  void draw_swap(SplitMix64& random) {
    const std::uint32_t node = draw_below(random, nodes_);
    exchange(node_of_[draw_below(random, node_of_.size())], node);
  }

  /// Exchanges two aligned blocks of 2^k nodes.
  void draw_blocks(SplitMix64& random) {
    const std::uint32_t most = std::min(longest_block, std::bit_floor(nodes_) / 2);
    const std::uint32_t length =
        std::uint32_t{1} << draw_below(random, static_cast<std::size_t>(std::bit_width(most)));
    const std::uint32_t blocks = nodes_ / length;
    const std::uint32_t a = draw_below(random, blocks) * length;
    const std::uint32_t b = draw_below(random, blocks) * length;
    if (a == b) {
      return;
    }
    for (std::uint32_t i = 0; i < length; ++i) {
      exchange(a + i, b + i);
    }
  }

  /// Reverses what nodes first .. first + length - 1 host.
  void draw_reversal(SplitMix64& random) {
    const std::uint32_t length = 2 + draw_below(random, std::min(longest_segment, nodes_) - 1);
    const std::uint32_t first = draw_below(random, nodes_ - length + 1);
    for (std::uint32_t i = 0; i < length / 2; ++i) {
      exchange(first + i, first + length - 1 - i);
    }
  }

  const Partners& partners_;
  std::uint32_t nodes_;
  std::vector<std::vector<NodeId>> neighbours_;
  std::vector<std::uint32_t> occupant_;
  std::vector<std::uint32_t> node_of_;
  std::vector<Relocation> changes_;
  std::vector<std::uint32_t> emptied_;  ///< nodes whose process leaves; another may come
};

}  // namespace dcube
