#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/elements.hpp"
#include "dcube/engine/port_clocks.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// Run of a plan by one process.
class PlanRun {
 public:
  /// The elements must outlive it. `plan` may be moved away after that.
  PlanRun(Group group, Elements& elements, const std::optional<ExactTime>& compute, Tag tag,
          const CollectivePlan& plan);

  /// Sets the call up, copies what the plan copies and runs the ports. A port goes on when its
  /// message has arrived, whatever the others wait for, or all go on together; see SeveralPorts.
  Task<> run(CollectivePlan plan);

  /// A port that waits for the message of a step, or for its own messages before it takes the step.
  struct Port {
    CollectiveSteps steps;
    CollectiveStep step{};
    Tag tag;
    std::uint32_t number = 0;     ///< in its plan
    std::vector<Request> sent{};  ///< messages that hold up the next one
    bool is_sending = false;      ///< waits for one of them
    Ticks at{0};                  ///< its time, where it has a clock; when it waits, if it sends
  };
  /// The port with that number, which has taken no step. Takes its steps out of the plan.
  Port port(CollectivePlan& plan, std::size_t number) const {
    const Tag tag = plan.tags.empty() ? static_cast<Tag>(number) : plan.tags[number];
    return {.steps = std::move(plan.ports[number]),
            .tag = tag_ + tag,
            .number = static_cast<std::uint32_t>(number)};
  }
  /// Takes steps until a message is awaited. Nothing: the port is done.
  Task<std::optional<Request>> go_on(Port& port);
  /// Takes the awaited message. If it is the port's own, which may have arrived before the port
  /// waited, the port goes on where it was.
  Task<> take_and_compute(const Port& port, const Payload& payload);

 private:
  /// Computing before the first step of a call and after the last.
  struct Overheads {
    Ticks first{0};
    Ticks last{0};
  };
  Overheads overheads(const CollectivePlan& plan) const;
  /// Runs the steps of one port that is left alone.
  Task<> run_alone(CollectiveSteps steps, Overheads overheads);
  Task<> run_apart(CollectivePlan plan, Overheads overheads);
  Task<> run_in_step(CollectivePlan plan, Overheads overheads);
  /// Time of setting the call up.
  Ticks set_up(std::size_t ports) const;
  /// Time of copying so many elements.
  Ticks copying(std::uint64_t elements, std::size_t ports) const;
  /// Time of working out and gathering the message of a step.
  Ticks preparing(const CollectiveStep& step) const;
  /// Time of combining a message that many times.
  Ticks combining(std::uint32_t combinations, const Payload& payload) const;
  void begin_ports(detail::PortClocks& clocks, std::size_t ports);
  /// Computing, which cores of ports do in turn: `turn_` is to be its end.
  Process::Computation in_turn(Ticks time);
  bool sends(const CollectiveStep& step) const {
    return step.to != CollectiveStep::nobody && step.to != group_.rank();
  }
  Task<> take_and_compute(const CollectiveStep& step, const Payload& payload);
  Payload send(const CollectiveStep& step, Tag tag, std::vector<Request>* sent = nullptr);
  std::uint32_t take(const CollectiveStep& step, const Payload& payload);

  Group group_;
  Elements& elements_;
  TransferCost combine_;
  ExactTime plan_;
  ExactTime piece_;
  bool prepares_;
  /// Messages from this size on hold up the next one of their port.
  std::uint64_t blocks_from_ = std::numeric_limits<std::uint64_t>::max();
  bool has_cores_ = false;  ///< of ports
  Ticks turn_{0};           ///< until when one of them computes
  Tag tag_;
};

/// The first tag of the call's messages.
inline Tag first_tag_of(const CollectiveCall& call) {
  return first_collective_tag + call.options.tag * tags_of_collective;
}

}  // namespace dcube
