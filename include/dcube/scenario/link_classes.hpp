#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Figures of the links of each class, and of each way where they join levels ("up" leads to a
/// switch or a higher level): their number, how many are at 0, the mean, the most, the first link
/// that has it ("0->16"), and how many are in each of 24 equal ranges up to the most of all.
/// `values` is by link number of `run`, which is `machine`, or `machine` with its host computer as
/// one more node; values below 0 do not count. Half-duplex links go both ways.
nlohmann::ordered_json loads_by_class(const Topology& machine, const Topology& run, Duplex duplex,
                                      const std::vector<double>& values);

}  // namespace dcube
