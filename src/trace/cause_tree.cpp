#include "cause_tree.hpp"

#include "dcube/core/errors.hpp"

namespace dcube {

namespace {

/// The second pointer of a node below `above`. It goes as far as the two jumps from `above` when
/// these are equally long, otherwise to `above` itself.
template <class Jump, class JumpOf>
Jump jump_below(CauseTree::Number above, JumpOf jump_of) {
  if (above == CauseTree::none) {
    return {};
  }
  const Jump& first = jump_of(above);
  Jump jump{above, first.depth + 1};
  if (first.to != CauseTree::none) {
    const Jump& second = jump_of(first.to);
    const std::uint32_t second_depth = second.to == CauseTree::none ? 0 : jump_of(second.to).depth;
    const std::uint32_t middle_depth = jump_of(first.to).depth;
    if (second.to != CauseTree::none && first.depth - middle_depth == middle_depth - second_depth) {
      jump.to = second.to;
    }
  }
  return jump;
}

}  // namespace

CauseTree::CauseTree(const CausalRecord& record) : record_{record} {
  std::uint64_t steps = 0;
  first_step_.reserve(std::size_t{record.process_count()} + 1);
  for (std::uint32_t process = 0; process < record.process_count(); ++process) {
    first_step_.push_back(steps);
    steps += record.step_count(ProcessId{process});
  }
  first_step_.push_back(steps);
  expects(steps < none, "the intervals of a record fit in memory");
}

CauseTree::Number CauseTree::add(const Cause& cause) {
  if (number_of_.empty()) {
    number_of_.assign(first_step_.back(), none);
  }
  const auto number_of = [this](const Cause& of) -> Number& {
    return number_of_[first_step_[of.process.index()] + of.step];
  };
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
    jumps_.push_back(
        jump_below<Jump>(above, [this](Number of) -> const Jump& { return jumps_[of]; }));
    above = number;
  }
  return above;
}

CauseTree::Node CauseTree::make_node(const Cause& cause, Number above) const {
  const CausalRecord::Step step = record_.step(cause.process, cause.step);
  Node node{.cause = cause, .activity = step.activity, .end = step.end, .above = above};
  if (above != none) {
    node.begin = nodes_[above].end;
    node.compute = nodes_[above].compute;
    node.endpoint = nodes_[above].endpoint;
    node.queueing = nodes_[above].queueing;
  }
  if (step.activity == Activity::compute) {
    node.compute += node.duration();
  } else if (step.activity == Activity::endpoint) {
    node.endpoint += node.duration();
  } else if (step.activity == Activity::communication && record_.has_queued_hops()) {
    for (const QueuedHop& hop :
         record_.queued_hops(record_.message(cause.process, cause.step).name)) {
      node.queueing += hop.start - hop.arrival;
    }
  }
  return node;
}

CauseTree::Number CauseTree::under_way(Number number, Ticks time) const {
  const auto ends_later = [&](Number of) { return of != none && nodes_[of].end > time; };
  while (ends_later(nodes_[number].above)) {
    const Number jump = jumps_[number].to;
    number = ends_later(jump) ? jump : nodes_[number].above;
  }
  return number;
}

/// Goes through the tree depth first, and so knows the last node of every process on the way.
void CauseTree::close() {
  number_of_ = {};
  const auto count = static_cast<Number>(nodes_.size());
  std::vector<Number> first_below(count, none);
  std::vector<Number> next_beside(count, none);
  Number first_root = none;
  for (Number number = count; number-- > 0;) {
    Number& first = nodes_[number].above == none ? first_root : first_below[nodes_[number].above];
    next_beside[number] = first;
    first = number;
  }
  own_.resize(count);
  std::vector<Number> last_of(record_.process_count(), none);
  const auto enter = [&](Number number) {
    Number& last = last_of[nodes_[number].cause.process.index()];
    Own& own = own_[number];
    own.above = last;
    own.jump = jump_below<Jump>(last, [this](Number of) -> const Jump& { return own_[of].jump; });
    own.compute = last == none ? Ticks{0} : own_[last].compute;
    if (nodes_[number].activity == Activity::compute) {
      own.compute += nodes_[number].duration();
    }
    last = number;
  };
  const auto leave = [&](Number number) {
    last_of[nodes_[number].cause.process.index()] = own_[number].above;
  };
  Number number = first_root;
  while (number != none) {
    enter(number);
    Number next = first_below[number];
    while (next == none && number != none) {
      leave(number);
      next = next_beside[number];
      number = nodes_[number].above;
    }
    number = next;
  }
}

Ticks CauseTree::own_compute(Number number, Ticks time) const {
  const auto ends_later = [&](Number of) { return of != none && nodes_[of].end > time; };
  Number first = number;
  while (ends_later(own_[first].above)) {
    const Number jump = own_[first].jump.to;
    first = ends_later(jump) ? jump : own_[first].above;
  }
  Ticks sum = own_[number].compute;
  if (own_[first].above != none) {
    sum -= own_[own_[first].above].compute;
  }
  return nodes_[first].activity == Activity::compute ? sum - nodes_[first].before(time) : sum;
}

}  // namespace dcube
