#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "embedding/linear_map.hpp"

namespace dcube {

/// Node = M * process + c over GF(2), for 2^k processes on 2^d nodes. Standard, xor, gray and every
/// order of their cube dimensions are such maps, and few steps lead from one to another. The map is
/// always one to one. A plain value.
class AffineMap {
 public:
  /// The given map, if it is affine.
  static std::optional<AffineMap> of(std::span<const NodeId> map, std::uint32_t node_count);

  /// Goes to a neighbouring map: exchanges two columns or two rows, adds one to another, or changes
  /// the offset.
  void change(SplitMix64& random);
  std::vector<NodeId> map() const;

 private:
  AffineMap(std::uint32_t process_bits, std::uint32_t node_bits)
      : process_bits_{process_bits}, node_bits_{node_bits} {}

  void add_row(std::uint32_t from, std::uint32_t to);

  std::uint32_t process_bits_;
  std::uint32_t node_bits_;
  LinearMap linear_;
  std::uint32_t offset_ = 0;
};

}  // namespace dcube
