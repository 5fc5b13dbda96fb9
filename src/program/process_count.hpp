#pragma once

#include <cstdint>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// The setting "processes": at most as many as the machine has nodes, which is the default.
std::uint32_t read_process_count(const Params& params, const Topology& topology);

/// The same for programs on a cube, as log2: a power of two; without the setting, the nodes must be
/// one.
std::uint32_t read_cube_dimensions(const Params& params, const Topology& topology);

/// The help of that setting.
ParameterHelp process_count_help();
ParameterHelp cube_process_count_help();

}  // namespace dcube
