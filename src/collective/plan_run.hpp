#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/elements.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// Run of a plan by one process.
class PlanRun {
 public:
  /// The elements must outlive it.
  PlanRun(Group group, Elements& elements, const ExactTime& compute, Tag tag)
      : group_{std::move(group)},
        elements_{elements},
        compute_{compute.is_zero() ? group_.process().endpoint_costs().combine_per_byte : compute},
        tag_{tag} {}

  /// Sets the call up and runs the ports. A port goes on when its message has arrived, whatever the
  /// others wait for.
  Task<> run(CollectivePlan plan);
  /// Sets the call up and runs the steps of one port that is left alone.
  Task<> run(CollectiveSteps steps);

  /// A port that waits for the message of a step.
  struct Port {
    CollectiveSteps steps;
    CollectiveStep step{};
    Tag tag;
  };
  /// The port with that number, which has taken no step. Takes its steps out of the plan.
  Port port(CollectivePlan& plan, std::size_t number) const {
    const Tag tag = plan.tags.empty() ? static_cast<Tag>(number) : plan.tags[number];
    return {std::move(plan.ports[number]), {}, tag_ + tag};
  }
  /// Takes steps until a message of another process is awaited. Nothing: the port is done.
  Task<std::optional<Request>> go_on(Port& port);
  /// Takes the awaited message.
  Task<> take_and_compute(const CollectiveStep& step, const Payload& payload);

 private:
  /// Time of setting the call up.
  Ticks set_up(std::size_t ports) const;
  Payload send(const CollectiveStep& step, Tag tag);
  std::uint32_t take(const CollectiveStep& step, const Payload& payload);

  Group group_;
  Elements& elements_;
  ExactTime compute_;
  Tag tag_;
};

/// The first tag of the call's messages.
inline Tag first_tag_of(const CollectiveCall& call) {
  return first_collective_tag + call.options.tag * tags_of_collective;
}

}  // namespace dcube
