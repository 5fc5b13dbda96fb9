#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "dcube/collective/collective.hpp"
#include "dcube/engine/group.hpp"
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
/// occupies its processor, a send or collective the network Operation::interface of the process, a
/// receive nothing.
///
/// The clock of the process is that of its networks. Those of the processors are numbers: nothing
/// outside sees them, so their work during a collective of network 0 is computed afterwards.
/// Collectives of other networks go on in the background.
Task<> run_resources(Process& process, ResourceSchedule resources);

/// Its CollectiveOptions::tag is 0, and its ports are 1.
CollectiveCall call_of(const ScheduledCollective& collective,
                       const std::map<CollectiveKind, std::string>& algorithms);

/// A collective of a schedule, as a member of its group calls it.
struct MemberCall {
  Group group;
  CollectiveCall call;
};
MemberCall member_call(const Process& process, const ScheduledCollective& collective,
                       const ScheduleSettings& settings, Tag tag);

/// Takes part in a collective of a schedule, with CollectiveOptions::tag `tag`.
inline Task<> run_scheduled(const Process& process, const ScheduledCollective& collective,
                            const ScheduleSettings& settings, Tag tag = 0) {
  MemberCall member = member_call(process, collective, settings, tag);
  return run_collective(std::move(member.group), member.call);
}

/// Tells apart the collectives of a schedule that are under way at once.
inline Tag tag_of_collective(std::uint64_t number) {
  return static_cast<Tag>(number % most_collective_tags);
}

}  // namespace dcube
