#pragma once

#include <string>
#include <vector>

#include "dcube/network/network.hpp"
#include "reference_simulator.hpp"

namespace dcube::testing {

/// Description of the first hop in which two lists differ; empty when they are equal.
std::string first_different_hop(const std::vector<Hop>& engine, const std::vector<Hop>& plain);

/// Empty when the two agree event for event.
std::string difference(const History& engine, const History& plain);

}  // namespace dcube::testing
