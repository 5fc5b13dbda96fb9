#include "cause_tree.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"

namespace dcube {

CauseFacts facts_of(const CausalRecord& record, const Cause& cause) {
  if (cause.is_arrival) {
    const DecisiveArrival& arrival = record.arrival(cause.step);
    return {.activity = Activity::communication,
            .end = arrival.time,
            .peer = cause.process,
            .message = arrival.message,
            .destination = arrival.destination};
  }
  const CausalRecord::Step step = record.step(cause.process, cause.step);
  CauseFacts facts{.activity = step.activity,
                   .awaits = step.awaits,
                   .stage = step.stage,
                   .end = step.end,
                   .peer = step.peer,
                   .destination = cause.process};
  if (step.is_held) {
    facts.activity = Activity::waiting;
    facts.awaits = Awaits::message;
  } else if (step.activity == Activity::communication) {
    facts.message = record.message_number(cause.process, cause.step);
    facts.destination = record.destination(cause.process, facts.message);
  }
  return facts;
}

namespace {

std::optional<Cause> cause_by_arrival(const CausalRecord& record, std::uint32_t number) {
  const DecisiveArrival& arrival = record.arrival(number);
  const AwaitedMessage& message = record.message(arrival.message);
  return message.start == arrival.time
             ? cause_at(record, record.start_of(arrival.message), arrival.time)
             : Cause{message.name.source, number, true};
}

/// The step as a cause. Of messages that arrive at once it names the first, whoever waits for it;
/// the process goes on with that of a collective which it awaited and which ended with it.
std::optional<Cause> cause_of_step(const CausalRecord& record, ProcessId process,
                                   std::uint32_t number) {
  const Cause own{process, number};
  const std::span<const NotedSteps> all = record.background(process);
  if (all.empty()) [[likely]] {
    return own;
  }
  const CausalRecord::Step step = record.step(process, number);
  if (step.activity != Activity::communication || step.is_held) {
    return own;
  }
  const MessageName& named = record.message(record.message_number(process, number)).name;
  std::optional<std::uint32_t> awaited;
  bool names_another = false;
  for (auto noted = std::ranges::lower_bound(
           all, step.end, {}, [](const NotedSteps& each) { return each.steps.begin; });
       noted != all.end() && noted->steps.begin == step.end; ++noted) {
    const BackgroundCollective& of = record.collectives(process)[noted->steps.collective];
    if (of.end == step.end && of.awaited < step.end && noted->arrival != Origin::none) {
      awaited = awaited.value_or(noted->arrival);
    } else if (noted->steps.message == named) {
      names_another = true;
    }
  }
  return awaited && names_another ? cause_by_arrival(record, *awaited) : own;
}

}  // namespace

std::optional<Cause> cause_at(const CausalRecord& record, ProcessId process, Ticks time) {
  if (time == Ticks{0}) {
    return std::nullopt;
  }
  const std::optional<std::uint32_t> index = record.step_ending_at(process, time);
  expects(index.has_value(), "a chain of causes goes from the end of an interval to another");
  return cause_of_step(record, process, *index);
}

namespace {

/// The last of these background steps that ends by `time`, or what they had to wait for.
std::optional<Cause> cause_in(const CausalRecord& record, ProcessId process, std::uint32_t number,
                              Ticks time) {
  const std::span<const NotedSteps> all = record.background(process);
  for (;;) {
    const NotedSteps& noted = all[number];
    std::optional<Cause> cause;
    if (time > noted.steps.begin) {
      cause = cause_at(record, process, time);
      cause.value().is_background = true;
      return cause;
    }
    if (noted.arrival != Origin::none) {
      return cause_by_arrival(record, noted.arrival);
    }
    if (!noted.steps.message || noted.before == Origin::none ||
        all[noted.before].steps.end != time) {
      cause = cause_at(record, process, time);
      if (cause) {
        const std::optional<std::uint32_t> other = record.background_at(process, time);
        cause->is_background = other && all[*other].steps.message;
      }
      return cause;
    }
    number = noted.before;
  }
}

}  // namespace

std::optional<Cause> cause_at(const CausalRecord& record, const Origin& origin, Ticks time) {
  if (origin.arrival != Origin::none) {
    return Cause{origin.process, origin.arrival, true};
  }
  return origin.steps == Origin::none ? cause_at(record, origin.process, time)
                                      : cause_in(record, origin.process, origin.steps, time);
}

std::optional<Cause> cause_before(const CausalRecord& record, const Cause& cause) {
  const CauseFacts facts = facts_of(record, cause);
  if (facts.activity == Activity::communication) {
    return cause_at(record, record.start_of(facts.message), record.message(facts.message).start);
  }
  if (facts.activity == Activity::waiting) {
    return cause_at(record, record.end_of(cause.process, cause.step), facts.end);
  }
  if (cause.is_background) {
    return cause_in(record, cause.process, *record.background_at(cause.process, facts.end),
                    record.step(cause.process, cause.step).begin);
  }
  return cause.step == 0 ? std::nullopt : cause_of_step(record, cause.process, cause.step - 1);
}

/// The jump from a link goes as far as the two jumps from the one above it when these are equally
/// long, otherwise to that one itself.
void Chains::put(Number link, Number above) {
  if (link >= links_.size()) {
    links_.resize(std::size_t{link} + 1);
  }
  if (above == none) {
    return;
  }
  const Link& first = links_[above];
  Number jump = above;
  if (first.jump != none) {
    const Link& second = links_[first.jump];
    if (second.jump != none &&
        first.depth - second.depth == second.depth - links_[second.jump].depth) {
      jump = second.jump;
    }
  }
  links_[link] = {above, jump, first.depth + 1};
}

CauseTree::CauseTree(const ExplainedRun& run) : run_{run}, record_{run.record}, ways_{run} {
  std::uint64_t steps = 0;
  first_step_.reserve(std::size_t{record_.process_count()} + 1);
  for (std::uint32_t process = 0; process < record_.process_count(); ++process) {
    first_step_.push_back(steps);
    steps += record_.step_count(ProcessId{process});
  }
  first_step_.push_back(steps);
  expects(steps < none, "the intervals of a record fit in memory");
}

CauseTree::Number CauseTree::add(const Cause& cause) {
  if (number_of_.empty()) {
    number_of_.assign(first_step_.back(), none);
  }
  std::vector<Cause> added;
  Number above = none;
  for (std::optional<Cause> next = cause; next; next = cause_before(record_, *next)) {
    above = number_of(*next);
    if (above != none) {
      break;
    }
    added.push_back(*next);
  }
  for (auto next = added.rbegin(); next != added.rend(); ++next) {
    const auto number = static_cast<Number>(nodes_.size());
    number_of(*next) = number;
    nodes_.push_back(make_node(*next, above));
    chains_.put(number, above);
    above = number;
  }
  return above;
}

CauseTree::Node CauseTree::make_node(const Cause& cause, Number above) const {
  const CauseFacts facts = facts_of(record_, cause);
  Node node{.cause = cause, .activity = facts.activity, .end = facts.end};
  if (above != none) {
    node.begin = nodes_[above].end;
    node.compute = nodes_[above].compute;
    node.endpoint = nodes_[above].endpoint;
    node.queueing = nodes_[above].queueing;
  }
  if (node.activity == Activity::communication &&
      run_.map[facts.peer.index()] == run_.map[facts.destination.index()]) {
    node.activity = Activity::endpoint;  // inside the node
  }
  if (node.activity == Activity::compute) {
    node.compute += node.duration();
  } else if (node.activity == Activity::endpoint) {
    node.endpoint += node.duration();
  } else if (node.activity == Activity::communication) {
    const Delays delays = delays_after(node, facts, node.begin);
    node.queueing += delays.queueing;
    node.endpoint += delays.endpoint;
  }
  return node;
}

CauseTree::Delays CauseTree::delays_after(const Node& node, const CauseFacts& facts,
                                          Ticks time) const {
  const auto after = [time](Ticks begin, Ticks end) {
    return std::max(Ticks{0}, end - std::max(begin, time));
  };
  Delays delays;
  if (!run_.machine.links.injection) {
    for_each_queueing(node, facts, [&](LinkId, Ticks arrival, Ticks start) {
      delays.queueing += after(arrival, start);
    });
    return delays;
  }
  for (const WayPart& part :
       ways_.of(record_.message(facts.message), facts.destination, node.end)) {
    delays.queueing += after(part.arrival, part.start);
    delays.endpoint += part.is_injection ? after(part.start, part.finish) : Ticks{0};
  }
  return delays;
}

CauseTree::Number CauseTree::under_way(Number number, Ticks time) const {
  return chains_.first(number, [&](Number of) { return nodes_[of].end > time; });
}

/// Goes through the tree depth first, and so knows the last node of every process on the way.
void CauseTree::close() {
  number_of_ = {};
  const auto count = static_cast<Number>(nodes_.size());
  std::vector<Number> first_below(count, none);
  std::vector<Number> next_beside(count, none);
  Number first_root = none;
  for (Number number = count; number-- > 0;) {
    Number& first = above(number) == none ? first_root : first_below[above(number)];
    next_beside[number] = first;
    first = number;
  }
  own_compute_.resize(count);
  std::vector<Number> last_of(record_.process_count(), none);
  const auto enter = [&](Number number) {
    Number& last = last_of[nodes_[number].cause.process.index()];
    own_chains_.put(number, last);
    const bool computes = nodes_[number].activity == Activity::compute;
    own_compute_[number] = (last == none ? Ticks{0} : own_compute_[last]) +
                           (computes ? nodes_[number].duration() : Ticks{0});
    last = number;
  };
  const auto leave = [&](Number number) {
    last_of[nodes_[number].cause.process.index()] = own_chains_.above(number);
  };
  Number number = first_root;
  while (number != none) {
    enter(number);
    Number next = first_below[number];
    while (next == none && number != none) {
      leave(number);
      next = next_beside[number];
      number = above(number);
    }
    number = next;
  }
}

Ticks CauseTree::own_compute(Number number, Ticks time) const {
  const Number first = own_chains_.first(number, [&](Number of) { return nodes_[of].end > time; });
  Ticks sum = own_compute_[number];
  if (const Number before = own_chains_.above(first); before != none) {
    sum -= own_compute_[before];
  }
  return nodes_[first].activity == Activity::compute ? sum - nodes_[first].before(time) : sum;
}

}  // namespace dcube
