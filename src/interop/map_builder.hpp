#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scanner.hpp"
#include "dcube/interop/map_files.hpp"

namespace dcube {

/// Numbers the processes of each node 0, 1, .., in the order of calls.
class SlotNumbers {
 public:
  explicit SlotNumbers(std::uint32_t node_count) : used_(node_count) {}

  std::uint32_t next(NodeId node) { return used_[node.index()]++; }
  std::uint32_t used(NodeId node) const { return used_[node.index()]; }

 private:
  std::vector<std::uint32_t> used_;
};

/// Collects the nodes of processes in any order, and checks that the result is a map.
class MapBuilder {
 public:
  explicit MapBuilder(const MapImport& import);

  /// Reads a process number; a machine has no more processes than slots.
  std::uint32_t process(const Scanner& at, std::string_view word) const;
  NodeId node(const Scanner& at, std::string_view word) const;
  NodeId host(const Scanner& at, std::string_view name) const;

  /// Places a process in the next slot of the node. Rejects one that has been placed before or is
  /// one too many, and a node that is full.
  void place(const Scanner& at, std::uint32_t process, NodeId node);
  /// Places a process in a slot that the file names. Rejects a slot that is taken.
  void place(const Scanner& at, std::uint32_t process, NodeId node, std::uint32_t slot);
  /// One more than the greatest process placed.
  std::uint32_t next_process() const { return static_cast<std::uint32_t>(map_.size()); }

  /// Throws InputError unless processes 0, 1, .., at least one, all have a node.
  std::vector<NodeId> map() const;

 private:
  /// "12 nodes (a node hosts at most one)", "48 slots on 12 nodes".
  std::string room() const;

  const MapImport& import_;
  std::uint32_t node_count_;
  std::uint64_t slot_count_;
  std::vector<std::optional<NodeId>> map_;
  std::vector<std::optional<std::uint32_t>> process_in_;  ///< [slot], node by node
  SlotNumbers slots_;                                     ///< for files that do not name slots
};

}  // namespace dcube
