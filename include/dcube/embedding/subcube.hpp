#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dcube/core/ids.hpp"

namespace dcube {

// The algebra of subcubes of an n-cube [TS 2, 3]: B.-R. Tsai, K. G. Shin, Mapping
// Concurrently-Communicating Subcubes in a Hypercube Multicomputer. Two subcubes that are compared
// lie in the same cube.

/// A subcube: an address over {0, 1, *}, of which * is free. The leftmost symbol stands for the
/// highest bit of a node's number. A plain value.
class Subcube {
 public:
  static constexpr std::uint32_t most_cube_dimensions = 30;

  /// Bits set in `stars` are free; `bits` gives the others. Needs `cube_dimensions` of 1 to 30,
  /// all bits below it, and none in both.
  Subcube(std::uint32_t cube_dimensions, std::uint32_t stars, std::uint32_t bits);
  /// "0*1*". Throws InputError (no place).
  static Subcube parse(std::string_view text);

  std::uint32_t cube_dimensions() const { return cube_dimensions_; }
  /// Its own dimensions: how many * its address holds.
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(std::popcount(stars_)); }
  std::uint32_t stars() const { return stars_; }
  std::uint32_t bits() const { return bits_; }

  std::uint32_t node_count() const { return std::uint32_t{1} << dimensions(); }
  bool contains(NodeId node) const { return (node.index() & ~stars_) == bits_; }
  /// Its nodes in ascending order, `index` below node_count().
  NodeId node(std::uint32_t index) const;
  /// "0*1*".
  std::string text() const;

  friend auto operator<=>(const Subcube&, const Subcube&) = default;

 private:
  std::uint32_t cube_dimensions_;
  std::uint32_t stars_;
  std::uint32_t bits_;
};

/// H: positions where both hold a bit and the bits differ. 0 if and only if they share a node.
inline std::uint32_t hamming_distance(const Subcube& a, const Subcube& b) {
  return static_cast<std::uint32_t>(
      std::popcount((a.bits() ^ b.bits()) & ~(a.stars() | b.stars())));
}

/// 2 M: what the distances of all nodes to their partners come to on average, twice (M has halves
/// for positions where exactly one of the two holds a *).
inline std::uint32_t twice_mean_distance(const Subcube& a, const Subcube& b) {
  const std::uint32_t halves = a.stars() ^ b.stars();
  const std::uint32_t wholes = (a.bits() ^ b.bits()) & ~(a.stars() | b.stars());
  // Those in the upper half too: one count for both.
  return static_cast<std::uint32_t>(
      std::popcount(std::uint64_t{wholes} << 32U | std::uint64_t{wholes | halves}));
}

/// T = M 2^d: the least sum of distances over all ways to pair the nodes of one with those of the
/// other. Needs subcubes of one size.
std::uint64_t pairing_distance(const Subcube& a, const Subcube& b);

/// The largest distance between a node of one and a node of the other.
inline std::uint32_t largest_distance(const Subcube& a, const Subcube& b) {
  return hamming_distance(a, b) + static_cast<std::uint32_t>(std::popcount(a.stars() | b.stars()));
}

/// The nodes of `a` that are closest to `b`: each is H away from it.
Subcube frontier(const Subcube& a, const Subcube& towards);

/// The same positions are free. Then T = 2^d H.
inline bool are_parallel(const Subcube& a, const Subcube& b) { return a.stars() == b.stars(); }

/// Positions free in all, set in a mask: the greatest common frontier is a subcube of that many
/// dimensions. None for no subcubes.
std::uint32_t common_stars(std::span<const Subcube> subcubes);

/// How the nodes of two subcubes find their partners. Either way the distances add up to T.
enum class Pairing {
  even,    ///< all pairs are equally far apart
  nearest  ///< the frontiers are paired with each other, H apart; the farther a node, the farther
           ///< its partner
};

/// The partner in `b` of a node of `a`: a bijection that keeps positions free in both, and
/// the same from both sides. Needs subcubes of one size.
NodeId partner(const Subcube& a, const Subcube& b, NodeId node, Pairing pairing);

}  // namespace dcube
