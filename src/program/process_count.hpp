#pragma once

#include <cstdint>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// The setting "processes": at most the machine's nodes, and by default all of them.
std::uint32_t read_process_count(const Params& params, const Topology& topology);

/// log2 of the same setting, for programs on a cube. The setting must be a power of two, or without
/// it the number of nodes.
std::uint32_t read_cube_dimensions(const Params& params, const Topology& topology);

/// The help of that setting.
ParameterHelp process_count_help();
ParameterHelp cube_process_count_help();

}  // namespace dcube
