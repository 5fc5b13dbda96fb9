#pragma once

#include <optional>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// A time that no run of the graphs beats, whatever is busy and in whatever order messages arrive:
/// the longest chain of operations that require each other, and what the busiest processor
/// computes. A message takes at least what LeastTransfer says; it belongs to a chain where only one
/// receive can be its own. Nothing when operations wait for each other in a circle. O(operations).
std::optional<Ticks> least_time_of_graphs(const Schedule& schedule, const Machine& machine);

/// The same for a program that is such a schedule; nothing for others.
std::optional<Ticks> least_time_of_graphs(const Program& program, const Machine& machine);

}  // namespace dcube
