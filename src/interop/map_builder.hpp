#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scanner.hpp"
#include "dcube/interop/map_files.hpp"
#include "slot_numbers.hpp"

namespace dcube {

/// Collects the nodes of processes that come in any order, and sees that the result is a map.
class MapBuilder {
 public:
  explicit MapBuilder(const MapImport& import);

  /// Reads a process number; a machine has no more processes than slots.
  std::uint32_t process(const Scanner& at, std::string_view word) const;
  /// Reads a node number.
  NodeId node(const Scanner& at, std::string_view word) const;
  /// Reads a host's name.
  NodeId host(const Scanner& at, std::string_view name) const;

  /// Rejects a process that has been placed before or is one too many, and a node that is full.
  void place(const Scanner& at, std::uint32_t process, NodeId node);
  /// The same in a slot of the node that the file names; rejects one that is taken.
  void place(const Scanner& at, std::uint32_t process, NodeId node, std::uint32_t slot);
  /// The process after the last one placed.
  std::uint32_t next_process() const { return static_cast<std::uint32_t>(map_.size()); }

  /// Throws InputError unless processes 0, 1, .. all have a node, and there is one.
  std::vector<NodeId> map() const;

 private:
  /// "12 nodes (a node hosts at most one)", "48 slots on 12 nodes".
  std::string room() const;

  const MapImport& import_;
  std::uint32_t node_count_;
  std::uint64_t slot_count_;
  std::vector<std::optional<NodeId>> map_;
  std::vector<std::optional<std::uint32_t>> process_in_;  ///< of each slot, node by node
  SlotNumbers slots_;                                     ///< where files do not name them
};

}  // namespace dcube
