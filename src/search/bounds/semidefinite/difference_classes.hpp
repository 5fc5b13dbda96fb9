#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// A distance of nodes that is a sum of cuts (Djokovic 1973, Deza & Laurent 1997) and depends on
/// the class of their difference alone. Everything is doubled, so it is whole.
struct CutDistance {
  std::string name;
  std::vector<std::int64_t> of_class{};
  std::vector<std::int64_t> from_centre{};  ///< by orbit; empty where the centre is no point of it
  std::int64_t total = 0;  ///< weight of all cuts; 0 where triangles alone are known to hold
};

/// Classes of the differences of nodes on a product of cycles and paths.
///
/// Its cycles are those of an Abelian group; a path of k nodes is part of a cycle of 2k - 1 or 2k
/// (`padding`) without wrap-around, a cycle of four a square of cycles of two. Exchanges of equal
/// sides and reflections put differences into classes, and characters of the group into modes. Let
/// y be one of the c characters of a mode. Then the matrix over all processes a, b of
///   Y(a, b) = mean over y of cos(2 pi sum_d y_d (x_d(a) - x_d(b)) / order_d) = means[mode][class]
/// is positive semidefinite, and so it stays with a row for the centre of the paths, where all y of
/// the mode are 0 on cycles. With every node taken by as many processes, Y w = 0 for mode > 0: w is
/// 1 for a process, and -(sum over the nodes of what the centre's row has) for the centre.
struct DifferenceClasses {
  enum class NodeTables { none, made };

  static constexpr int fraction_bits = 48;
  /// A multiple of 2^-48.
  using Fixed = std::int64_t;

  struct Side {
    std::uint32_t order = 0;  ///< of the cycle
    std::uint32_t nodes = 0;
    bool is_open = false;
  };

  /// Nothing unless the topology is a product of paths and cycles of more than a node, whichever
  /// links work, and where there would be too many classes.
  static std::optional<DifferenceClasses> of(const Topology& topology, std::uint32_t padding = 0,
                                             NodeTables tables = NodeTables::none);

  std::size_t class_count() const { return class_sizes.size(); }
  std::size_t mode_count() const { return mode_sizes.size(); }
  std::size_t orbit_count() const { return orbit_sizes.size(); }
  bool has_centre() const { return !orbit_sizes.empty(); }

  std::vector<Side> sides{};                       ///< in the order of the topology's dimensions
  std::vector<std::vector<std::size_t>> groups{};  ///< sides that may be exchanged
  double order = 1;                                ///< of the group
  std::uint32_t node_count = 0;
  bool is_bipartite = false;

  // Classes by hops; class 0 is the difference 0. Mode 0 is constant.
  std::vector<std::uint32_t> class_sizes{};
  std::vector<std::uint32_t> hops{};
  std::vector<std::vector<std::uint32_t>> mode_keys{};  ///< |y| by group, ascending inside
  std::vector<std::uint32_t> mode_sizes{};
  std::vector<Fixed> means{};  ///< [mode * class_count() + class]

  // Nodes by how far they are from the centre along every path.
  std::vector<std::uint32_t> orbit_sizes{};
  std::vector<Fixed> centre_means{};  ///< [mode * orbit_count() + orbit], in the centre's row
  std::vector<Fixed> centre_sums{};   ///< by mode, over all nodes
  std::vector<bool> mode_has_centre{};

  Fixed error = 0;      ///< of each mean
  Fixed sum_error = 0;  ///< of each of `centre_sums`

  std::vector<CutDistance> distances{};

  // By node; empty unless they are asked for.
  std::vector<std::uint32_t> orbit_of{};
  /// [from * node_count + to]
  std::vector<std::uint32_t> class_of{};
};

}  // namespace dcube
