#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "plan_run.hpp"

namespace dcube {

PlanRun::PlanRun(Group group, Elements& elements, const std::optional<ExactTime>& compute, Tag tag,
                 const CollectivePlan& plan)
    : group_{std::move(group)}, elements_{elements}, tag_{tag} {
  const EndpointModel& costs = group_.process().endpoint_costs();
  combine_ = costs.combining(plan.ports.size());
  if (compute) {
    combine_.per_byte = *compute;
  }
  if (plan.plans > 0) {
    plan_ = plan.plans * costs.planning(plan.ports.size());
  }
  if (plan.sends_pieces) {
    piece_ = costs.piece;
  }
  prepares_ = !plan_.is_zero() || !piece_.is_zero();
  if (plan.sends_block) {
    blocks_from_ = costs.eager_limit_bytes ? *costs.eager_limit_bytes + 1 : 0;
  }
}

Ticks PlanRun::set_up(std::size_t ports) const {
  const EndpointModel& costs = group_.process().endpoint_costs();
  return costs.call.is_zero() && costs.call_per_port.is_zero()
             ? Ticks{0}
             : round_cost(costs.call, costs.call_per_port, ports);
}

Ticks PlanRun::copying(std::uint64_t elements, std::size_t ports) const {
  const ExactTime& each = group_.process().endpoint_costs().copying(ports);
  return elements == 0 || each.is_zero()
             ? Ticks{0}
             : round_cost(ExactTime{}, each, elements * elements_.element_bytes());
}

PlanRun::Overheads PlanRun::overheads(const CollectivePlan& plan) const {
  const std::size_t ports = plan.ports.size();
  const auto all = [&](const CollectivePlan::Copied& copied) {
    return checked_add(copying(copied.by_ports, ports), copying(copied.by_one_core, 1));
  };
  const ExactTime& exchange = group_.process().endpoint_costs().exchange;
  const Ticks exchanging = plan.rounds == 0 || exchange.is_zero()
                               ? Ticks{0}
                               : round_cost(ExactTime{}, exchange, plan.rounds);
  return {checked_add(checked_add(set_up(ports), exchanging), all(plan.copied_first)),
          all(plan.copied_last)};
}

Task<> PlanRun::run(CollectivePlan plan) {
  const Overheads overheads = this->overheads(plan);
  if (plan.ports.size() == 1 && !plan.sends_block) {
    return run_alone(std::move(plan.ports.front()), overheads);
  }
  // Where ports have clocks of their own, others cost none of them time, which waiting does.
  return plan.ports.size() > 1 && group_.process().endpoint_costs().several_ports.in_step &&
                 !detail::PortClocks::are_apart(group_.process())
             ? run_in_step(std::move(plan), overheads)
             : run_apart(std::move(plan), overheads);
}

Task<> PlanRun::run_alone(CollectiveSteps steps, Overheads overheads) {
  if (overheads.first > Ticks{0}) {
    co_await group_.process().compute(overheads.first);
  }
  while (std::optional<CollectiveStep> step = steps.next()) {
    if (const Ticks time = preparing(*step); time > Ticks{0}) {
      co_await group_.process().compute(time);
    }
    Payload received = send(*step, tag_);
    if (step->from != CollectiveStep::nobody) {
      if (step->from != group_.rank()) {
        received = co_await group_.receive(step->from, tag_);
      }
      const Ticks time = combining(take(*step, received), received);
      if (time > Ticks{0}) {
        co_await group_.process().compute(time);
      }
    }
  }
  if (overheads.last > Ticks{0}) {
    co_await group_.process().compute(overheads.last);
  }
}

void PlanRun::begin_ports(detail::PortClocks& clocks, std::size_t ports) {
  if (ports > 1) {
    clocks.let_ports_depend();
  }
  has_cores_ = ports > 1 && group_.process().endpoint_costs().several_ports.threads &&
               clocks.begin_cores(ports);
}

Process::Computation PlanRun::in_turn(Ticks time) {
  const Process& process = group_.process();
  if (has_cores_) {
    detail::PortClocks::go_to(process, std::max(turn_, process.now_for_the_record()));
  }
  return process.compute(time);
}

Task<> PlanRun::run_apart(CollectivePlan plan, Overheads overheads) {
  if (overheads.first > Ticks{0}) {
    co_await group_.process().compute(overheads.first);
  }
  detail::PortClocks clocks{group_.process()};
  begin_ports(clocks, plan.ports.size());
  std::vector<Port> waiting;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < plan.ports.size(); ++i) {
    Port next = port(plan, i);
    clocks.begin_port();
    if (std::optional<Request> request = co_await go_on(next)) {
      waiting.push_back(std::move(next));
      requests.push_back(*request);
    }
    clocks.end_steps();
  }
  while (!waiting.empty()) {
    Completed first = co_await clocks.wait_any(requests);
    Port& next = waiting[first.index];
    co_await take_and_compute(next, first.message.payload);
    const auto place = static_cast<std::ptrdiff_t>(first.index);
    if (std::optional<Request> request = co_await go_on(next)) {
      requests[first.index] = *request;
    } else {
      waiting.erase(waiting.begin() + place);
      requests.erase(requests.begin() + place);
    }
    clocks.end_steps();
  }
  clocks.end();
  if (overheads.last > Ticks{0}) {
    co_await group_.process().compute(overheads.last);
  }
}

namespace {

/// Whether a step combines what another process has sent while this one sent to it or to a third:
/// then nobody waits for a port that waits for another port. In trees somebody may.
bool combines_exchanged(const CollectiveStep& step) {
  return step.on_receipt != OnReceipt::write && step.to != CollectiveStep::nobody;
}

}  // namespace

Task<> PlanRun::run_in_step(CollectivePlan plan, Overheads overheads) {
  if (overheads.first > Ticks{0}) {
    co_await group_.process().compute(overheads.first);
  }
  detail::PortClocks clocks{group_.process()};
  begin_ports(clocks, plan.ports.size());
  std::vector<Port> going;
  for (std::size_t i = 0; i < plan.ports.size(); ++i) {
    going.push_back(port(plan, i));
    going.back().at = group_.process().now_for_the_record();
  }
  std::vector<Port> waiting;
  std::vector<Request> requests;
  std::vector<std::pair<Port, Payload>> held;  ///< that wait for other ports to combine with
  Ticks release = group_.process().now_for_the_record();
  while (!going.empty() || !waiting.empty()) {
    for (Port& next : going) {
      if (has_cores_) {
        detail::PortClocks::go_to(group_.process(), next.at);
      }
      if (std::optional<Request> request = co_await go_on(next)) {
        waiting.push_back(std::move(next));
        requests.push_back(*request);
      }
      clocks.end_steps();
    }
    going.clear();
    if (waiting.empty()) {
      break;
    }
    Completed first = co_await clocks.wait_any(requests);
    const auto place = static_cast<std::ptrdiff_t>(first.index);
    Port next = std::move(waiting[first.index]);
    waiting.erase(waiting.begin() + place);
    requests.erase(requests.begin() + place);
    if (next.is_sending || !combines_exchanged(next.step)) {
      co_await take_and_compute(next, first.message.payload);
      next.at = group_.process().now_for_the_record();
      going.push_back(std::move(next));
      continue;
    }
    const Ticks now = group_.process().now_for_the_record();
    release = held.empty() ? now : std::max(release, now);
    held.emplace_back(std::move(next), std::move(first.message.payload));
    if (std::ranges::any_of(waiting,
                            [](const Port& port) { return combines_exchanged(port.step); })) {
      continue;
    }
    std::ranges::sort(held, {}, [](const auto& each) { return each.first.tag; });
    detail::PortClocks::go_to(group_.process(), release);
    for (auto& [port, payload] : held) {
      if (has_cores_) {
        detail::PortClocks::go_to(group_.process(), release);
      }
      co_await take_and_compute(port, payload);
      port.at = group_.process().now_for_the_record();
      going.push_back(std::move(port));
    }
    held.clear();
  }
  clocks.end();
  if (overheads.last > Ticks{0}) {
    co_await group_.process().compute(overheads.last);
  }
}

Task<std::optional<Request>> PlanRun::go_on(Port& port) {
  const auto next_step = [&port] {
    return std::exchange(port.is_sending, false) ? std::optional{std::move(port.step)}
                                                 : port.steps.next();
  };
  for (;;) {
    std::optional<CollectiveStep> step = next_step();
    if (!port.sent.empty() && (!step || !step->continues)) {
      const Request sent = port.sent.back();
      port.sent.pop_back();
      port.step = step ? *std::move(step) : CollectiveStep{};
      port.is_sending = true;
      port.at = group_.process().now_for_the_record();
      co_return sent;
    }
    if (!step) {
      co_return std::nullopt;
    }
    if (const Ticks time = preparing(*step); time > Ticks{0}) {
      co_await in_turn(time);
      turn_ = group_.process().now_for_the_record();
    }
    const Payload own = send(*step, port.tag, &port.sent);
    if (step->from == group_.rank()) {
      co_await take_and_compute(*step, own);
    } else if (step->from != CollectiveStep::nobody) {
      port.step = std::move(*step);
      co_return group_.post_receive(port.step.from, port.tag);
    }
  }
}

Task<> PlanRun::take_and_compute(const Port& port, const Payload& payload) {
  if (port.is_sending) {
    const Process& process = group_.process();
    detail::PortClocks::go_to(process, std::max(port.at, process.now_for_the_record()));
  } else {
    co_await take_and_compute(port.step, payload);
  }
}

Task<> PlanRun::take_and_compute(const CollectiveStep& step, const Payload& payload) {
  const Ticks time = combining(take(step, payload), payload);
  if (time > Ticks{0}) {
    co_await in_turn(time);
    turn_ = group_.process().now_for_the_record();
  }
}

Ticks PlanRun::preparing(const CollectiveStep& step) const {
  if (!prepares_ || !sends(step)) [[likely]] {
    return Ticks{0};
  }
  return round_cost(step.continues ? ExactTime{} : plan_, piece_,
                    step.sent.size() > 0 ? step.sent.size() - 1 : 0);
}

Ticks PlanRun::combining(std::uint32_t combinations, const Payload& payload) const {
  return combinations == 0 || combine_ == TransferCost{}
             ? Ticks{0}
             : round_cost(combinations * combine_.fixed, combinations * combine_.per_byte,
                          payload.size_bytes());
}

/// Sends the message of a step; if it is to this process, returns it instead. Adds it to `sent` if
/// it holds up the next one.
Payload PlanRun::send(const CollectiveStep& step, Tag tag, std::vector<Request>* sent) {
  if (step.to == CollectiveStep::nobody) {
    return {};
  }
  Payload payload = elements_.read(step.source, step.sent);
  if (step.to == group_.rank()) {
    return payload;
  }
  if (sent != nullptr && payload.size_bytes() >= blocks_from_) {
    sent->push_back(
        group_.post_send(step.to, std::move(payload), tag, SendMode::rendezvous, SendEnd::arrived));
  } else {
    group_.send(step.to, std::move(payload), tag);
  }
  return {};
}

/// Puts a message into the buffers. Returns how often each element was combined.
std::uint32_t PlanRun::take(const CollectiveStep& step, const Payload& payload) {
  std::uint32_t combinations = step.on_receipt == OnReceipt::write ? 0 : 1;
  if (step.in_scratch) {
    combinations += *step.in_scratch == OnReceipt::write ? 0 : 1;
    elements_.receive(ElementBuffer::scratch, *step.in_scratch, step.received, payload);
  }
  elements_.receive(step.target, step.on_receipt, step.received, payload);
  return combinations;
}

void ElementRanges::add(const ElementRange& range) {
  if (range.size() == 0) {
    return;
  }
  if (size_ == 0) {
    single_ = range;
    size_ = 1;
    return;
  }
  ElementRange& last = size_ == 1 ? single_ : several_.back();
  if (last.end == range.begin) {
    last.end = range.end;
    return;
  }
  if (size_ == 1) {
    several_.push_back(single_);
  }
  several_.push_back(range);
  ++size_;
}

ElementRanges ElementPieces::next(std::uint64_t count) {
  ElementRanges piece;
  while (count > 0 && range_ < ranges_.size()) {
    const ElementRange& range = *(ranges_.begin() + range_);
    const std::uint64_t begin = range.begin + taken_;
    const std::uint64_t taken = std::min(count, range.end - begin);
    piece.add({begin, begin + taken});
    count -= taken;
    taken_ += taken;
    if (begin + taken == range.end) {
      ++range_;
      taken_ = 0;
    }
  }
  return piece;
}

namespace {

/// What is left to cut of a step.
struct CutStep {
  struct Side {
    ElementPieces elements{};
    std::uint64_t count = 0;
    std::uint64_t pieces = 0;  ///< left

    static Side of(ElementRanges ranges, std::uint64_t most) {
      const std::uint64_t count = element_count(ranges);
      return {ElementPieces{std::move(ranges)}, count,
              std::max<std::uint64_t>(1, count / most + (count % most != 0 ? 1 : 0))};
    }
    /// Pieces are of one size, the first ones larger by one if need be.
    ElementRanges next() {
      const std::uint64_t piece = count / pieces + (count % pieces != 0 ? 1 : 0);
      count -= piece;
      --pieces;
      return elements.next(piece);
    }
  };
  CollectiveStep step{};  ///< without its elements
  bool is_under_way = false;
  Side sent{};
  Side received{};

  CutStep() = default;
  CutStep(CollectiveStep whole, std::uint64_t most) {
    sent = whole.to == CollectiveStep::nobody ? Side{} : Side::of(std::move(whole.sent), most);
    received =
        whole.from == CollectiveStep::nobody ? Side{} : Side::of(std::move(whole.received), most);
    step = std::move(whole);
    step.sent = step.received = {};
  }
  std::optional<CollectiveStep> next() {
    if (sent.pieces + received.pieces == 0) {
      return std::nullopt;
    }
    CollectiveStep piece = step;
    piece.continues = std::exchange(is_under_way, true);
    if (sent.pieces > 0) {
      piece.from = CollectiveStep::nobody;
      piece.sent = sent.next();
    } else {
      piece.to = CollectiveStep::nobody;
      piece.received = received.next();
    }
    return piece;
  }
};

}  // namespace

CollectiveSteps cut_messages(CollectiveSteps steps, std::uint64_t elements, std::uint32_t rank) {
  CollectiveSteps cut;
  cut.add(~std::uint32_t{0},
          [steps = std::move(steps), elements, rank, pieces = CutStep{}](std::uint32_t) mutable {
            std::optional<CollectiveStep> piece = pieces.next();
            while (!piece) {
              std::optional<CollectiveStep> step = steps.next();
              if (!step || step->to == rank || step->from == rank) {
                return step;
              }
              pieces = CutStep{*std::move(step), elements};
              piece = pieces.next();
            }
            return piece;
          });
  return cut;
}

std::uint64_t element_count(const ElementRanges& ranges) {
  return sum_of(ranges, &ElementRange::size);
}

Task<> run_plan(Group group, CollectivePlan plan, Elements& elements,
                std::optional<ExactTime> compute, Tag tag) {
  PlanRun run{std::move(group), elements, compute, tag, plan};
  co_await run.run(std::move(plan));
}

namespace {

/// run_plan() that owns its ElementSizes, which saves a coroutine frame for each process.
Task<> run_plan_by_sizes(Group group, CollectivePlan plan, ElementSizes sizes,
                         std::optional<ExactTime> compute, Tag tag) {
  PlanRun run{std::move(group), sizes, compute, tag, plan};
  co_await run.run(std::move(plan));
}

}  // namespace

Task<> run_collective(Group group, CollectiveCall call, Elements& elements) {
  call.options.element_bytes = elements.element_bytes();
  CollectivePlan plan = plan_of(call, group.rank(), group.size());
  return run_plan(std::move(group), std::move(plan), elements, call.options.compute,
                  first_tag_of(call));
}

Task<> run_collective(Group group, CollectiveCall call) {
  CollectivePlan plan = plan_of(call, group.rank(), group.size());
  return run_plan_by_sizes(std::move(group), std::move(plan), ElementSizes{element_bytes_of(call)},
                           call.options.compute, first_tag_of(call));
}

}  // namespace dcube
