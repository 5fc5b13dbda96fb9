#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Distances between nodes. A table holds them while it fits in a cache. Those of larger grids come
/// from the coordinates of the nodes, others from the topology.
class Distances {
 public:
  static constexpr std::uint32_t most_tabled_nodes = 4096;

  explicit Distances(const Topology& topology)
      : topology_{&topology}, node_count_{topology.node_count()} {
    if (node_count_ <= most_tabled_nodes) {
      fill_table();
    } else if (topology.structure().is_cube && is_grid(topology)) {
      is_cube_ = true;
    } else if (is_grid(topology) && topology.dimension_count() <= most_dimensions) {
      fill_coordinates();
    }
  }

  /// Lengths of routes between terminals, by weights of links: the shorter of there and back.
  static Distances weighted(const Topology& topology) {
    Distances distances{&topology, HopLengths{topology}};
    if (topology.node_count() <= most_tabled_nodes) {
      distances.fill_table_of_lengths();
    }
    return distances;
  }

  /// Distances of a machine of as many nodes, any two of which are one link apart.
  static Distances one_apart(const Topology& topology) {
    Distances distances{&topology, std::nullopt};
    distances.is_uniform_ = true;
    if (topology.node_count() <= most_tabled_nodes) {
      const std::size_t nodes = topology.node_count();
      distances.table_.assign(nodes * nodes, 1);
      for (std::size_t node = 0; node < nodes; ++node) {
        distances.table_[node * (nodes + 1)] = 0;
      }
    }
    return distances;
  }

  /// Distances between these nodes alone, at most most_tabled_nodes, any two of which are farther
  /// apart than `less`, and then nearer by that.
  Distances nearer(std::uint32_t less, std::span<const std::uint32_t> nodes) const {
    Distances distances = *this;
    for (std::uint16_t& entry : distances.table_) {
      entry = static_cast<std::uint16_t>(entry > less ? entry - less : 0);
    }
    if (table_.empty()) {
      distances.few_ = nodes.size();
      distances.number_.resize(node_count_);
      distances.among_few_.clear();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        distances.number_[nodes[i]] = i;
        for (const std::uint32_t to : nodes) {
          const std::uint32_t between = (*this)(NodeId{nodes[i]}, NodeId{to});
          distances.among_few_.push_back(between > less ? between - less : 0);
        }
      }
    }
    return distances;
  }

  std::uint32_t operator()(NodeId from, NodeId to) const {
    if (const std::uint16_t* const row = row_of(from)) {
      return row[to.index()];
    }
    return untabled(from, to);
  }

  /// Row of the table: distances from a node to each other; null without a table.
  const std::uint16_t* row_of(NodeId from) const {
    return table_.empty() ? nullptr : &table_[std::size_t{from.index()} * node_count_];
  }

 private:
  static constexpr std::uint32_t most_dimensions = 4;

  Distances(const Topology* topology, const std::optional<HopLengths>& lengths)
      : topology_{topology}, node_count_{topology->node_count()}, lengths_{lengths} {}

  struct Coordinates {
    std::uint32_t of[most_dimensions] = {};
  };

  std::uint32_t untabled(NodeId from, NodeId to) const {
    if (!coordinates_.empty()) {
      const Coordinates& a = coordinates_[from.index()];
      const Coordinates& b = coordinates_[to.index()];
      std::uint32_t sum = 0;
      for (std::uint32_t dimension = 0; dimension < dimensions_; ++dimension) {
        const std::uint32_t apart = a.of[dimension] < b.of[dimension]
                                        ? b.of[dimension] - a.of[dimension]
                                        : a.of[dimension] - b.of[dimension];
        sum += std::min(apart, around_[dimension] - apart);
      }
      return sum;
    }
    if (!among_few_.empty()) {
      return among_few_[number_[from.index()] * few_ + number_[to.index()]];
    }
    if (is_uniform_) {
      return from == to ? 0 : 1;
    }
    if (is_cube_) {
      return static_cast<std::uint32_t>(std::popcount(from.index() ^ to.index()));
    }
    return lengths_ ? static_cast<std::uint32_t>(length(from, to)) : topology_->distance(from, to);
  }

  std::uint64_t length(NodeId from, NodeId to) const {
    const std::uint64_t there = (*lengths_)(from, to);
    return lengths_->are_symmetric() ? there : std::min(there, (*lengths_)(to, from));
  }

  /// No table where a length does not fit an entry.
  void fill_table_of_lengths() {
    table_.assign(std::size_t{node_count_} * node_count_, 0);
    const std::uint32_t terminals = topology_->terminal_count();
    for (std::uint32_t from = 0; from < terminals; ++from) {
      for (std::uint32_t to = 0; to < from; ++to) {
        if (!topology_->reaches(NodeId{from}, NodeId{to})) {
          continue;
        }
        const std::uint64_t between = length(NodeId{from}, NodeId{to});
        if (between > std::numeric_limits<std::uint16_t>::max()) {
          table_.clear();
          return;
        }
        table_[std::size_t{from} * node_count_ + to] = static_cast<std::uint16_t>(between);
        table_[std::size_t{to} * node_count_ + from] = static_cast<std::uint16_t>(between);
      }
    }
  }

  void fill_table() {
    table_.reserve(std::size_t{node_count_} * node_count_);
    for (std::uint32_t from = 0; from < node_count_; ++from) {
      for (std::uint32_t to = 0; to < node_count_; ++to) {
        // No process is where nothing reaches.
        const bool is_asked_for = topology_->reaches(NodeId{from}, NodeId{to});
        table_.push_back(static_cast<std::uint16_t>(
            is_asked_for ? topology_->distance(NodeId{from}, NodeId{to}) : 0));
      }
    }
  }

  void fill_coordinates() {
    const auto sides = topology_->shape();
    dimensions_ = topology_->dimension_count();
    for (std::size_t dimension = 0; dimension < sides.size(); ++dimension) {
      around_[dimension] = is_cycle(*topology_, dimension)
                               ? sides[dimension]
                               : std::numeric_limits<std::uint32_t>::max();
    }
    coordinates_.resize(node_count_);
    for (std::uint32_t node = 0; node < node_count_; ++node) {
      std::uint32_t rest = node;
      for (std::size_t dimension = 0; dimension < sides.size(); ++dimension) {
        coordinates_[node].of[dimension] = rest % sides[dimension];
        rest /= sides[dimension];
      }
    }
  }

  const Topology* topology_;
  std::uint32_t node_count_;
  std::uint32_t dimensions_ = 0;
  bool is_cube_ = false;
  bool is_uniform_ = false;
  std::size_t few_ = 0;                   ///< nodes of nearer(), where there is no other table
  std::vector<std::size_t> number_;       ///< of each of them
  std::vector<std::uint32_t> among_few_;  ///< row by row
  std::optional<HopLengths> lengths_;
  std::vector<std::uint16_t> table_;
  std::vector<Coordinates> coordinates_;
  /// From a node in one direction back to itself, by dimension; without an end where ends are not
  /// joined.
  std::uint32_t around_[most_dimensions] = {};
};

}  // namespace dcube
