#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dcube/questions/search.hpp"

namespace dcube {

/// The machine whose nodes that are to be avoided, or are not among the only ones, forward messages
/// and host no processes; the machine itself where no nodes are chosen. Throws InputError that
/// names the field, or the file, and the node that is not there or has failed.
std::shared_ptr<const Machine> with_nodes_chosen(const NodeChoice& choice,
                                                 std::shared_ptr<const Machine> machine,
                                                 const HostNames& hosts);

/// The node that each process is pinned to; empty when none is. Throws InputError that names the
/// field, or the file and line.
std::vector<std::optional<NodeId>> pins_of(const NodeChoice& choice, const Topology& topology,
                                           const HostNames& hosts, std::uint32_t process_count);

}  // namespace dcube
