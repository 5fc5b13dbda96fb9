#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dcube/search/search.hpp"
#include "draws.hpp"
#include "embedding/linear_map.hpp"

namespace dcube {

/// Node = M * process + c over GF(2), for 2^k processes on 2^d nodes. Standard, xor, gray and every
/// order of their cube dimensions are such maps, and few steps lead from one to another. The map is
/// always one to one. A plain value.
class AffineMap {
 public:
  /// The given map, if it is affine.
  static std::optional<AffineMap> of(std::span<const NodeId> map, std::uint32_t node_count) {
    if (map.size() < 2 || !std::has_single_bit(map.size()) || !std::has_single_bit(node_count)) {
      return std::nullopt;
    }
    AffineMap affine{static_cast<std::uint32_t>(std::countr_zero(map.size())),
                     static_cast<std::uint32_t>(std::countr_zero(node_count))};
    affine.offset_ = map[0].index();
    for (std::uint32_t bit = 0; bit < affine.process_bits_; ++bit) {
      affine.linear_.columns[bit] = map[std::size_t{1} << bit].index() ^ affine.offset_;
    }
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      if ((affine.linear_(process) ^ affine.offset_) != map[process].index()) {
        return std::nullopt;
      }
    }
    return affine;
  }

  /// Goes to a neighbouring map: exchanges two columns or two rows, adds one to another, or changes
  /// the offset.
  void change(SplitMix64& random) {
    const auto draw = [&](std::uint32_t bound) { return draw_below(random, bound); };
    const std::uint32_t kind = draw(8);
    if (kind == 0) {
      offset_ ^= std::uint32_t{1} << draw(node_bits_);
      return;
    }
    const bool is_of_columns = kind < 5;
    const std::uint32_t bits = is_of_columns ? process_bits_ : node_bits_;
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
    std::vector<NodeId> map;
    map.reserve(std::size_t{1} << process_bits_);
    for (std::uint32_t process = 0; process < std::uint32_t{1} << process_bits_; ++process) {
      map.emplace_back(linear_(process) ^ offset_);
    }
    return map;
  }

 private:
  AffineMap(std::uint32_t process_bits, std::uint32_t node_bits)
      : process_bits_{process_bits}, node_bits_{node_bits} {}

  void add_row(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t bit = 0; bit < process_bits_; ++bit) {
      linear_.columns[bit] ^= ((linear_.columns[bit] >> from) & 1U) << to;
    }
  }

  std::uint32_t process_bits_;
  std::uint32_t node_bits_;
  LinearMap linear_;
  std::uint32_t offset_ = 0;
};

}  // namespace dcube
