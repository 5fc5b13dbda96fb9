#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/embedding/linear_map.hpp"
#include "draws.hpp"

namespace dcube {

/// Slot = M * process + c over GF(2), for 2^k processes on 2^d nodes of 2^s slots; the highest d
/// bits of a slot are its node. Standard, xor, gray, every order of their cube dimensions and every
/// choice of those that stay inside nodes are such maps, and few steps lead from one to another.
/// The map to slots is always one to one. A plain value.
class AffineMap {
 public:
  /// The given map, if it is affine. Of the slots of a node, which is to have enough of them for
  /// the map, the largest power of two is used.
  static std::optional<AffineMap> of(std::span<const NodeId> map, std::uint32_t node_count,
                                     std::uint32_t slots = 1) {
    if (map.size() < 2 || !std::has_single_bit(map.size()) || !std::has_single_bit(node_count)) {
      return std::nullopt;
    }
    AffineMap affine{static_cast<std::uint32_t>(std::countr_zero(map.size())),
                     static_cast<std::uint32_t>(std::countr_zero(node_count)),
                     static_cast<std::uint32_t>(std::bit_width(slots)) - 1};
    const std::uint32_t first = map[0].index();
    affine.offset_ = first << affine.slot_bits_;
    for (std::uint32_t bit = 0; bit < affine.process_bits_; ++bit) {
      affine.linear_.columns[bit] = (map[std::size_t{1} << bit].index() ^ first)
                                    << affine.slot_bits_;
    }
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      if (affine.node_of(process) != map[process]) {
        return std::nullopt;
      }
    }
    affine.tell_slots_apart();
    return affine;
  }

  /// Goes to a neighbouring map: exchanges two columns or two rows, adds one to another, or changes
  /// the offset.
  void change(SplitMix64& random) {
    const auto draw = [&](std::uint32_t bound) { return draw_below(random, bound); };
    const std::uint32_t kind = draw(8);
    if (kind == 0) {
      offset_ ^= std::uint32_t{1} << draw(address_bits_);
      return;
    }
    const bool is_of_columns = kind < 5;
    const std::uint32_t bits = is_of_columns ? process_bits_ : address_bits_;
    if (bits < 2) {
      return;
    }
    const std::uint32_t a = draw(bits);
    const std::uint32_t b = (a + 1 + draw(bits - 1)) % bits;
    auto& columns = linear_.columns;
    if (kind < 3) {
      std::swap(columns[a], columns[b]);
    } else if (is_of_columns) {
      columns[a] ^= columns[b];
    } else if (kind == 5) {  // rows exchanged
      add_row(a, b);
      add_row(b, a);
      add_row(a, b);
    } else {
      add_row(a, b);
    }
  }

  std::vector<NodeId> map() const {
    return numbered(std::size_t{1} << process_bits_,
                    [this](std::uint32_t process) { return node_of(process); });
  }

 private:
  AffineMap(std::uint32_t process_bits, std::uint32_t node_bits, std::uint32_t slot_bits)
      : process_bits_{process_bits}, address_bits_{node_bits + slot_bits}, slot_bits_{slot_bits} {}

  NodeId node_of(std::uint32_t process) const {
    return NodeId{(linear_(process) ^ offset_) >> slot_bits_};
  }

  /// Processes of a node differ by sums of columns that are 0. Each column that is a sum of those
  /// before it gets a bit of its own in the slot's number, and then no sum is 0.
  void tell_slots_apart() {
    std::array<std::uint32_t, 33> reduced{};  // by their highest bit
    std::uint32_t next = 1;
    for (std::uint32_t bit = 0; bit < process_bits_; ++bit) {
      std::uint32_t rest = linear_.columns[bit];
      while (rest != 0 && reduced[static_cast<std::size_t>(std::bit_width(rest))] != 0) {
        rest ^= reduced[static_cast<std::size_t>(std::bit_width(rest))];
      }
      if (rest != 0) {
        reduced[static_cast<std::size_t>(std::bit_width(rest))] = rest;
      } else {
        linear_.columns[bit] |= next;
        next *= 2;
      }
    }
    expects(next <= std::uint32_t{1} << slot_bits_,
            "a node hosts no more processes than its slots");
  }

  void add_row(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t bit = 0; bit < process_bits_; ++bit) {
      linear_.columns[bit] ^= ((linear_.columns[bit] >> from) & 1U) << to;
    }
  }

  std::uint32_t process_bits_;
  std::uint32_t address_bits_;  ///< of a slot: its node and its number there
  std::uint32_t slot_bits_;
  LinearMap linear_;
  std::uint32_t offset_ = 0;
};

}  // namespace dcube
