#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "draws.hpp"
#include "search/objectives/map_cost.hpp"

namespace dcube {

/// Draws small changes of a map: exchanges what two slots, two blocks of slots or the two halves of
/// a segment of slots host. Slots may be empty. Slots 0 to s-1 are those of node 0, and so on.
/// Pinned processes stay. Where few nodes host processes, only their slots are drawn.
class Moves {
 public:
  /// The arguments must outlive it.
  Moves(const SearchProblem& problem, const Partners& partners)
      : partners_{partners},
        nodes_{problem.topology.node_count()},
        slots_of_node_{problem.slots},
        slots_{static_cast<std::uint32_t>(problem.slot_count())},
        has_unusable_nodes_{problem.has_unusable_nodes()},
        has_choice_{problem.has_choice()},
        may_spare_large_{!traits_of(problem.objective).is_sum},
        occupant_(slots_, nobody),
        slot_of_(problem.traffic.process_count()) {
    for (std::uint32_t node = 0; has_unusable_nodes_ && node < nodes_; ++node) {
      is_usable_.push_back(problem.topology.is_usable(NodeId{node}));
    }
    if (problem.topology.usable_count() < nodes_ / 2) {
      usable_nodes_ =
          kept(numbered(nodes_), [this](std::uint32_t node) -> bool { return is_usable_[node]; });
      slots_ = problem.topology.usable_count() * slots_of_node_;
    }
    neighbours_.reserve(nodes_);
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      neighbours_.push_back(usable_nodes_.empty() ? problem.topology.neighbours(NodeId{node})
                            : is_usable_[node]    ? nearest_usable(problem.topology, NodeId{node})
                                                  : std::vector<NodeId>{});
    }
    for (std::uint32_t process = 0; problem.has_pins() && process < slot_of_.size(); ++process) {
      is_pinned_.push_back(problem.is_pinned(process));
      if (!is_pinned_[process]) {
        movable_.push_back(process);
      }
    }
  }

  void assign(std::span<const NodeId> map) {
    small_ = large_ = {};
    std::ranges::fill(occupant_, nobody);
    std::vector<std::uint32_t> used(nodes_);
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      const std::uint32_t node = map[process].index();
      slot_of_[process] = node * slots_of_node_ + used[node]++;
      occupant_[slot_of_[process]] = process;
    }
  }

  /// Draws a change of the map, which keep() then makes. It is not empty if there is another map.
  std::span<const Relocation> draw(SplitMix64& random) {
    changes_.clear();
    emptied_.clear();
    filled_.clear();
    if (!has_choice_) {
      return changes_;
    }
    while (changes_.empty()) {
      // Most useful changes bring two partners next to each other. Alone they end in valleys, which
      // the other changes leave.
      const std::uint32_t kind = draw_below(random, 16);
      const bool is_large = kind >= 12 && (!spares_large() || draw_below(random, 8) == 0);
      if (!is_large && (kind < 8 || kind >= 12)) {
        draw_pull(random);
      } else if (!is_large) {
        draw_swap(random);
      } else if (kind < 14) {
        draw_blocks(random);
      } else {
        draw_reversal(random);
      }
      was_large_ = is_large;
      ++(is_large ? large_ : small_).drawn;
    }
    return changes_;
  }

  void keep() {
    ++(was_large_ ? large_ : small_).kept;
    for (const std::uint32_t slot : emptied_) {
      occupant_[slot] = nobody;
    }
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const std::uint32_t process = changes_[i].process.index();
      slot_of_[process] = filled_[i];
      occupant_[filled_[i]] = process;
    }
  }

 private:
  /// Changes of longer blocks and segments cost as much as a whole map and are hardly ever
  /// accepted.
  static constexpr std::uint32_t longest_block = 32;
  static constexpr std::uint32_t longest_segment = 24;
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  /// How many changes of a kind were drawn of late, and how many of them kept.
  struct Record {
    std::uint32_t drawn = 0;
    std::uint32_t kept = 0;

    void fade() {
      drawn /= 2;
      kept /= 2;
    }
  };

  /// Changes of blocks and segments take several times as long as others. Where they are kept far
  /// less often they become rare, but in walks that go before a population: it has no such changes.
  bool spares_large() {
    constexpr std::uint32_t enough = 128;
    constexpr std::uint64_t far_less = 8;
    if (large_.drawn > 2 * enough) {
      large_.fade();
      small_.fade();
    }
    return may_spare_large_ && large_.drawn >= enough &&
           far_less * large_.kept * small_.drawn < std::uint64_t{small_.kept} * large_.drawn;
  }

  /// A division takes as long as a good part of a move.
  std::uint32_t node_of(std::uint32_t slot) const {
    return slots_of_node_ == 1 ? slot : slot / slots_of_node_;
  }

  bool is_usable(std::uint32_t slot) const {
    return !has_unusable_nodes_ || is_usable_[node_of(slot)];
  }

  /// Whether the slot's process has to stay there.
  bool is_fixed(std::uint32_t slot) const {
    return !is_pinned_.empty() && occupant_[slot] != nobody && is_pinned_[occupant_[slot]];
  }

  bool can_change(std::uint32_t slot) const { return is_usable(slot) && !is_fixed(slot); }

  /// The slot of this number among those that are drawn.
  std::uint32_t drawn(std::uint32_t number) const {
    return usable_nodes_.empty() ? number
                                 : usable_nodes_[node_of(number)] * slots_of_node_ +
                                       (slots_of_node_ == 1 ? 0 : number % slots_of_node_);
  }

  std::uint32_t draw_process(SplitMix64& random) const {
    return is_pinned_.empty() ? draw_below(random, slot_of_.size())
                              : movable_[draw_below(random, movable_.size())];
  }

  /// Other usable nodes that are as few links away as any, found by a walk in waves.
  std::vector<NodeId> nearest_usable(const Topology& topology, NodeId node) {
    seen_.resize(nodes_, nobody);
    seen_[node.index()] = node.index();
    std::vector<NodeId> found;
    std::vector<NodeId> reached{node};
    for (std::size_t next = 0; found.empty() && next < reached.size();) {
      for (const std::size_t end = reached.size(); next < end; ++next) {
        for (const NodeId beside : topology.neighbours(reached[next])) {
          if (std::uint32_t& seen_from = seen_[beside.index()]; seen_from != node.index()) {
            seen_from = node.index();
            reached.push_back(beside);
            if (is_usable_[beside.index()]) {
              found.push_back(beside);
            }
          }
        }
      }
    }
    return found;
  }

  /// The slots of one node are alike. Nodes that host no processes stay empty.
  void exchange(std::uint32_t slot, std::uint32_t other) {
    if (can_change(slot) && can_change(other) && node_of(slot) != node_of(other)) {
      put(occupant_[slot], other);
      put(occupant_[other], slot);
    }
  }

  void put(std::uint32_t process, std::uint32_t slot) {
    if (process != nobody) {
      changes_.push_back({ProcessId{process}, NodeId{node_of(slot)}});
      emptied_.push_back(slot_of_[process]);
      filled_.push_back(slot);
    }
  }

  std::uint32_t draw_slot(std::uint32_t node, SplitMix64& random) const {
    return slots_of_node_ == 1 ? node : node * slots_of_node_ + draw_below(random, slots_of_node_);
  }

  /// Moves a process next to one of its partners, or to the partner's node where that has several
  /// slots.
  void draw_pull(SplitMix64& random) {
    const std::uint32_t process = draw_process(random);
    const auto partners = partners_.of(process);
    if (partners.empty()) {
      return draw_swap(random);
    }
    const Partner& partner = partners[draw_below(random, partners.size())];
    const std::uint32_t home = node_of(slot_of_[partner.process.index()]);
    const auto& beside = neighbours_[home];
    if (beside.empty()) {
      return draw_swap(random);
    }
    const bool is_to_home = slots_of_node_ > 1 && draw_below(random, 4) > 0;
    exchange(
        slot_of_[process],
        draw_slot(is_to_home ? home : beside[draw_below(random, beside.size())].index(), random));
  }

  void draw_swap(SplitMix64& random) {
    const std::uint32_t slot = drawn(draw_below(random, slots_));
    exchange(slot_of_[draw_process(random)], slot);
  }

  /// Exchanges two aligned blocks of 2^k slots.
  void draw_blocks(SplitMix64& random) {
    const std::uint32_t most = std::min(longest_block, std::bit_floor(slots_) / 2);
    const std::uint32_t length =
        std::uint32_t{1} << draw_below(random, static_cast<std::size_t>(std::bit_width(most)));
    const std::uint32_t blocks = slots_ / length;
    const std::uint32_t a = draw_below(random, blocks) * length;
    const std::uint32_t b = draw_below(random, blocks) * length;
    if (a == b) {
      return;
    }
    for (std::uint32_t i = 0; i < length; ++i) {
      exchange(drawn(a + i), drawn(b + i));
    }
  }

  /// Reverses what slots first .. first + length - 1 host.
  void draw_reversal(SplitMix64& random) {
    const std::uint32_t length = 2 + draw_below(random, std::min(longest_segment, slots_) - 1);
    const std::uint32_t first = draw_below(random, slots_ - length + 1);
    for (std::uint32_t i = 0; i < length / 2; ++i) {
      exchange(drawn(first + i), drawn(first + length - 1 - i));
    }
  }

  const Partners& partners_;
  std::uint32_t nodes_;
  std::uint32_t slots_of_node_;
  std::uint32_t slots_;  ///< that are drawn: of all nodes together, or of usable_nodes_
  bool has_unusable_nodes_;
  bool has_choice_;
  bool may_spare_large_;
  std::vector<bool> is_usable_;              ///< every node, if some are not
  std::vector<std::uint32_t> usable_nodes_;  ///< ascending, if they are few
  std::vector<std::uint32_t> seen_;          ///< by nearest_usable(): from which node last
  std::vector<bool> is_pinned_;              ///< every process, if some are
  std::vector<std::uint32_t> movable_;       ///< processes, if some are not
  std::vector<std::vector<NodeId>> neighbours_;
  std::vector<std::uint32_t> occupant_;  ///< of each slot
  std::vector<std::uint32_t> slot_of_;   ///< of each process
  Record small_;                         ///< exchanges of two slots
  Record large_;                         ///< of blocks and segments
  bool was_large_ = false;               ///< what was drawn last
  std::vector<Relocation> changes_;
  std::vector<std::uint32_t> emptied_;  ///< slots whose process leaves; another may come
  std::vector<std::uint32_t> filled_;   ///< the slot that each of the changes fills
};

}  // namespace dcube
