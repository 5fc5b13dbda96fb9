#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/command_line.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/network/machine.hpp"

namespace dcube::app {

/// Which nodes may host processes, and which process has to be where, as the command line says.
struct NodeOptions {
  std::vector<std::string> avoid;  ///< "3", "40-47", "node-5"
  std::vector<std::string> only;   ///< files, or lists of the same
  std::vector<std::string> pins;   ///< "0=5", "3=node-7", or files

  bool choose_nodes() const { return !avoid.empty() || !only.empty(); }
  bool are_given() const { return choose_nodes() || !pins.empty(); }
  /// The files that they name.
  std::vector<std::filesystem::path> files() const;
};

/// Adds --avoid, --only and --pin.
void add_node_options(Parser& parser, NodeOptions& options);

/// The machine whose nodes that are to be avoided, or are not among the only ones, forward messages
/// and host no processes; the machine itself where no nodes are chosen. Throws InputError that
/// names the option, or the file, and the node that is not there or has failed.
std::shared_ptr<const Machine> with_nodes_chosen(const NodeOptions& options,
                                                 std::shared_ptr<const Machine> machine,
                                                 const HostNames& hosts);

/// The node that each process is pinned to; empty when none is. Throws InputError that names the
/// option, or the file and line.
std::vector<std::optional<NodeId>> pins_of(const NodeOptions& options, const Topology& topology,
                                           const HostNames& hosts, std::uint32_t process_count);

}  // namespace dcube::app
