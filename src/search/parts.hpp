#pragma once

#include <cstdint>
#include <vector>

#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// Processes that flows join with each other and with no others, ascending.
using TrafficPart = std::vector<std::uint32_t>;

/// All parts, by their first process.
std::vector<TrafficPart> parts_of(const Traffic& traffic);

/// Traffic of each part, whose processes are numbered in their order.
std::vector<Traffic> traffic_of_parts(const std::vector<TrafficPart>& parts,
                                      const Traffic& traffic);

}  // namespace dcube
