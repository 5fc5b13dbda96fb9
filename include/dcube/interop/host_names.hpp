#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/ids.hpp"

namespace dcube {

/// How a real system calls the nodes of a machine. A plain value.
class HostNames {
 public:
  /// node-0, node-1, ..
  HostNames() = default;
  /// "rack7-{}": a pattern in which the node's number stands for {}; anything else is a file with
  /// the name of node 0, of node 1, .. at the beginnings of its lines, as in a hostfile (blank
  /// lines and # comments do not count). Names are of letters, digits, `.`, `-` and `_`. Throws
  /// InputError (without a place unless the file has one).
  static HostNames parse(std::string_view pattern_or_file, std::uint32_t node_count);
  static bool is_pattern(std::string_view text) { return text.find("{}") != text.npos; }

  std::string of(NodeId node) const;
  /// Nothing when no node is called that. A pattern knows no last node.
  std::optional<NodeId> find(std::string_view name) const;
  /// "node-{}", or the file: for messages.
  const std::string& source() const { return source_; }

 private:
  std::string source_ = "node-{}";
  std::string prefix_ = "node-";
  std::string suffix_;
  std::vector<std::string> names_;  ///< of a file; empty: a pattern
  std::map<std::string, NodeId, std::less<>> nodes_;
};

}  // namespace dcube
