#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dcube/core/ids.hpp"

namespace dcube {

// Algebra of subcubes of an n-cube [TS 2, 3]: B.-R. Tsai, K. G. Shin, Mapping
// Concurrently-Communicating Subcubes in a Hypercube Multicomputer. Subcubes that are compared lie
// in the same cube.

/// A subcube: an address over {0, 1, *}, in which * stands for both bits. The leftmost symbol is
/// the highest bit of a node's number. A plain value.
class Subcube {
 public:
  static constexpr std::uint32_t most_cube_dimensions = 30;

  /// `stars` has a bit for each *, `bits` for each 1. Needs 1 to 30 `cube_dimensions`, and no bit
  /// that is set in both masks or lies beyond the cube.
  Subcube(std::uint32_t cube_dimensions, std::uint32_t stars, std::uint32_t bits);
  /// "0*1*". Throws InputError (no place).
  static Subcube parse(std::string_view text);

  std::uint32_t cube_dimensions() const { return cube_dimensions_; }
  /// Number of * in the address.
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(std::popcount(stars_)); }
  std::uint32_t stars() const { return stars_; }
  std::uint32_t bits() const { return bits_; }

  std::uint32_t node_count() const { return std::uint32_t{1} << dimensions(); }
  bool contains(NodeId node) const { return (node.index() & ~stars_) == bits_; }
  /// Node number `index`, 0 .. node_count()-1, in ascending order.
  NodeId node(std::uint32_t index) const;
  /// "0*1*".
  std::string text() const;

  friend auto operator<=>(const Subcube&, const Subcube&) = default;

 private:
  std::uint32_t cube_dimensions_;
  std::uint32_t stars_;
  std::uint32_t bits_;
};

/// H: number of positions where both addresses hold a bit and the bits differ. It is 0 if and only
/// if the subcubes share a node.
inline std::uint32_t hamming_distance(const Subcube& a, const Subcube& b) {
  return static_cast<std::uint32_t>(
      std::popcount((a.bits() ^ b.bits()) & ~(a.stars() | b.stars())));
}

/// 2 M, where M is the average distance of a node to its partner. A position where exactly one of
/// the addresses holds a * adds 1/2 to M.
inline std::uint32_t twice_mean_distance(const Subcube& a, const Subcube& b) {
  const std::uint32_t halves = a.stars() ^ b.stars();
  const std::uint32_t wholes = (a.bits() ^ b.bits()) & ~(a.stars() | b.stars());
  // `wholes` count twice; the upper half of the word holds them once more.
  return static_cast<std::uint32_t>(
      std::popcount(std::uint64_t{wholes} << 32U | std::uint64_t{wholes | halves}));
}

/// T = M 2^d: least sum of distances over all pairings of the nodes of one with those of the other.
/// Needs subcubes of one size.
std::uint64_t pairing_distance(const Subcube& a, const Subcube& b);

/// The largest distance between a node of one and a node of the other.
inline std::uint32_t largest_distance(const Subcube& a, const Subcube& b) {
  return hamming_distance(a, b) + static_cast<std::uint32_t>(std::popcount(a.stars() | b.stars()));
}

/// The nodes of `a` that are closest to `towards`: each is H away from it.
Subcube frontier(const Subcube& a, const Subcube& towards);

/// Whether the addresses hold their * at the same positions. Then T = 2^d H.
inline bool are_parallel(const Subcube& a, const Subcube& b) { return a.stars() == b.stars(); }

/// Mask of the positions where every address holds a *; as many dimensions has the greatest common
/// frontier. 0 for no subcubes.
std::uint32_t common_stars(std::span<const Subcube> subcubes);

/// Pairing of the nodes of two subcubes. Either way the distances add up to T.
enum class Pairing {
  even,    ///< all pairs are equally far apart
  nearest  ///< nodes of the frontiers are paired, H apart; the farther a node is from the other
           ///< subcube, the farther away is its partner
};

/// The partner in `b` of a node of `a`. Partners are each other's partners, and agree at positions
/// where both addresses hold a *. Needs subcubes of one size.
NodeId partner(const Subcube& a, const Subcube& b, NodeId node, Pairing pairing);

}  // namespace dcube
