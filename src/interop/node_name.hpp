#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "dcube/interop/host_names.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Name of a node in files that name switches, too: the host's, or "switch-0", "own-switch-0" where
/// a host is called that.
inline std::string node_name(const Topology& topology, const HostNames& hosts, NodeId node) {
  if (topology.is_terminal(node)) {
    return hosts.of(node);
  }
  const auto is_host = [&](const std::string& name) {
    const std::optional<NodeId> host = hosts.find(name);
    return host && topology.contains(*host) && topology.is_terminal(*host);
  };
  std::string name = fmt::format("switch-{}", node.index() - topology.terminal_count());
  while (is_host(name)) {
    name.insert(0, "own-");
  }
  return name;
}

}  // namespace dcube
