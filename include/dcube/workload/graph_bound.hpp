#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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

/// What a schedule does in every run, whatever arrives first.
struct ScheduleWork {
  struct Sent {
    ProcessId from;
    ProcessId to;
    std::uint64_t bytes = 0;
  };
  std::vector<Sent> messages;       ///< to other processes, but for those of collectives
  bool takes_all_messages = false;  ///< none is on its way when its receiver ends
  Ticks most_computing{0};          ///< of a process that does one thing after the other
};

/// O(operations).
ScheduleWork work_of(const Schedule& schedule);
/// The same for a program that is a schedule; nothing for others.
std::optional<ScheduleWork> work_of_schedule(const Program& program);

}  // namespace dcube
