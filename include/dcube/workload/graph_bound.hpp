#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/program/program.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// Lower bound of the makespan of all runs of the graphs, whatever is busy and in whatever order
/// messages arrive: the longest chain of operations that require each other, and the computing time
/// of the busiest processor. A message takes at least its LeastTransfer; it belongs to a chain if
/// only one receive can get it. Nothing when operations form a circle. O(operations).
std::optional<Ticks> least_time_of_graphs(const Schedule& schedule, const Machine& machine);

/// The bound for a program that is a schedule of graphs; nothing for others.
std::optional<Ticks> least_time_of_graphs(const Program& program, const Machine& machine);

/// Work of a schedule that is the same in every run, whatever arrives first.
struct ScheduleWork {
  struct Sent {
    ProcessId from;
    ProcessId to;
    std::uint64_t bytes = 0;
  };
  std::vector<Sent> messages;       ///< to other processes, except those of collectives
  bool takes_all_messages = false;  ///< none is under way when its receiver ends
  Ticks most_computing{0};          ///< longest of any process, if sequential
};

/// O(operations).
ScheduleWork work_of(const Schedule& schedule);
/// work_of() for a program that is a schedule; nothing for others.
std::optional<ScheduleWork> work_of_schedule(const Program& program);

}  // namespace dcube
