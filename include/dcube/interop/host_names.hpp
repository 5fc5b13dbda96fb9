#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/ids.hpp"

namespace dcube {

class Topology;

/// Names of a machine's nodes in a real system. A plain value.
class HostNames {
 public:
  /// node-0, node-1, ..
  HostNames() = default;
  /// The hosts of a platform of SimGrid, and switches as below; node-0, .. on any other machine.
  static HostNames of_machine(const Topology& topology);
  /// An empty text stands for the names of_machine(). A text with { is a pattern in which the
  /// node's number replaces {}: "rack7-{}", or {:03} with zeros up to three digits (also {:03d},
  /// {0:03d}). Any other text is a file whose lines begin with the name of node 0, of node 1, ..,
  /// as in a hostfile; blank lines and # comments do not count. It may leave out the switches of
  /// the machine, which are the last nodes: they become switch-20, switch-21, .. Names consist of
  /// letters, digits, `.`, `-` and `_`. Throws InputError, which names the file if there is one.
  static HostNames parse(std::string_view pattern_or_file, const Topology& topology);
  static bool is_pattern(std::string_view text) { return text.find('{') != text.npos; }

  std::string of(NodeId node) const;
  /// The node of this name, if any. A pattern accepts any number.
  std::optional<NodeId> find(std::string_view name) const;
  /// Whether the name of a node is the number of another one of `node_count` nodes.
  bool has_numbers_of_others(std::uint32_t node_count) const;
  /// The pattern, the file or the platform's first and last host, for messages.
  const std::string& source() const { return source_; }

 private:
  /// Names the next node, unless another has the name.
  bool add(const std::string& name);
  /// Names the nodes from here on, which are switches.
  void add_switches(const Topology& topology);

  std::string source_ = "node-{}";
  std::string prefix_ = "node-";
  std::string suffix_;
  std::uint32_t width_ = 0;         ///< digits of a number in the pattern, at least
  std::vector<std::string> names_;  ///< empty: a pattern
  std::map<std::string, NodeId, std::less<>> nodes_;
};

}  // namespace dcube
