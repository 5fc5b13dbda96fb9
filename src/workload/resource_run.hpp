#pragma once

#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// A schedule of graphs whose operations occupy resources (GraphRules::resources), and what a
/// process must know besides.
struct ResourceSchedule {
  const Schedule& schedule;
  const EndpointModel& endpoint;
  const ScheduleSettings& settings;
};

/// What one process does. An operation starts when all that it requires is done and its resource is
/// free; of several the one that could have started first, and among equals the first of the
/// schedule. A computation occupies its processor, a send or collective the network of the process.
/// A receive occupies nothing.
///
/// The clock of the process is that of its network. Those of the processors are numbers: nothing
/// outside the process sees them, so what they did during a collective is worked out afterwards.
Task<> run_resources(Process& process, ResourceSchedule resources);

/// Takes part in a collective of a schedule. CollectiveOptions::tag is `tag`.
Task<> run_scheduled(Process& process, const ScheduledCollective& collective,
                     const ScheduleSettings& settings, Tag tag = 0);

}  // namespace dcube
