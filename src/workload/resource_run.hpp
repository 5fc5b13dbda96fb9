#pragma once

#include <map>
#include <string>

#include "dcube/collective/collective.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// A schedule of graphs under GraphRules::resources, with its endpoint costs and settings.
struct ResourceSchedule {
  const Schedule& schedule;
  const EndpointModel& endpoint;
  const ScheduleSettings& settings;
};

/// Runs one process. An operation starts when its requirements are done and its resource is free;
/// of several the one that could have started first, then the first of the schedule. A computation
/// occupies its processor, a send or collective the network of the process, a receive nothing.
///
/// The clock of the process is that of its network. Those of the processors are numbers: nothing
/// outside sees them, so their work during a collective is computed afterwards.
Task<> run_resources(Process& process, ResourceSchedule resources);

/// Its CollectiveOptions::tag is 0.
CollectiveCall call_of(const ScheduledCollective& collective,
                       const std::map<CollectiveKind, std::string>& algorithms);

/// Takes part in a collective of a schedule, with CollectiveOptions::tag `tag`.
Task<> run_scheduled(Process& process, const ScheduledCollective& collective,
                     const ScheduleSettings& settings, Tag tag = 0);

}  // namespace dcube
