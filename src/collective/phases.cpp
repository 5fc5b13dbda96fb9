#include "phases.hpp"

#include <bit>
#include <utility>

#include "core/mapped.hpp"

namespace dcube {

Members Members::all(std::uint32_t rank, std::uint32_t size) {
  return {rank, size, [](std::uint32_t member) { return member; }};
}

Members Members::from_root(std::uint32_t rank, std::uint32_t size, std::uint32_t root) {
  return {rank_below(rank, root, size), size,
          [size, root](std::uint32_t member) { return rank_above(member, root, size); }};
}

CollectiveStep send_step(std::uint32_t to, ElementRanges ranges) {
  CollectiveStep step;
  step.to = to;
  step.sent = std::move(ranges);
  return step;
}

CollectiveStep receive_step(std::uint32_t from, ElementRanges ranges, OnReceipt what) {
  CollectiveStep step;
  step.from = from;
  step.received = std::move(ranges);
  step.on_receipt = what;
  return step;
}

CollectiveStep exchange_step(std::uint32_t to, ElementRanges sent, std::uint32_t from,
                             ElementRanges received, OnReceipt what) {
  CollectiveStep step = receive_step(from, std::move(received), what);
  step.to = to;
  step.sent = std::move(sent);
  return step;
}

CollectiveStep sends_of_next(CollectiveSteps& steps, CollectiveStep& awaited) {
  CollectiveStep step = steps.next().value_or(CollectiveStep{});
  awaited = step;
  awaited.to = CollectiveStep::nobody;
  step.from = CollectiveStep::nobody;
  return step;
}

CollectivePlan plan_of_steps(CollectiveSteps steps) {
  CollectivePlan plan;
  plan.ports.push_back(std::move(steps));
  return plan;
}

CollectivePlan plan_of_steps(std::uint32_t count, CollectiveSteps::Make make) {
  return plan_of_steps(CollectiveSteps(count, std::move(make)));
}

ElementRanges whole(std::uint64_t count) {
  ElementRanges ranges;
  ranges.add({0, count});
  return ranges;
}

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

OnReceipt combine_in_order(std::uint32_t other, std::uint32_t own) {
  return other < own ? OnReceipt::combine_before : OnReceipt::combine_after;
}

CollectiveSteps fold(const Members& members, const ElementRanges& elements,
                     const std::function<CollectiveSteps(const Members&)>& phase) {
  const std::uint32_t power = std::bit_floor(members.size);
  const std::uint32_t pairs = members.size - power;
  const std::uint32_t own = members.own;
  if (pairs == 0) {
    return phase(members);
  }
  const Members folded{own < 2 * pairs ? own / 2 : own - pairs, power,
                       [pairs, rank = members.rank](std::uint32_t member) {
                         return rank(member < pairs ? 2 * member + 1 : member + pairs);
                       }};
  if (own >= 2 * pairs) {
    return phase(folded);
  }
  CollectiveSteps steps;
  const std::uint32_t neighbour = members.rank(own ^ 1U);
  if (own % 2 == 0) {
    steps.add(send_step(neighbour, elements));
    steps.add(receive_step(neighbour, elements));
    return steps;
  }
  steps.add(receive_step(neighbour, elements, OnReceipt::combine_before));
  steps.append(phase(folded));
  steps.add(send_step(neighbour, elements));
  return steps;
}

CollectiveSteps pipelined(std::uint32_t segments, std::uint32_t rounds,
                          std::vector<PhaseOf> phases) {
  const auto count = static_cast<std::uint32_t>(phases.size());
  const std::uint32_t steps_of_slot = 2 * rounds * count;
  return CollectiveSteps(
      (segments + count - 1) * steps_of_slot,
      [=, phases = std::move(phases), running = std::vector<CollectiveSteps>(count),
       awaited = std::vector<CollectiveStep>(count)](std::uint32_t index) mutable {
        const std::uint32_t slot = index / steps_of_slot;
        const std::uint32_t phase = index % count;
        if (index % steps_of_slot == phase) {  // the first round
          const bool has_segment = slot >= phase && slot - phase < segments;
          running[phase] = has_segment ? phases[phase](slot - phase) : CollectiveSteps{};
        }
        if (index / count % 2 != 0) {
          return std::exchange(awaited[phase], CollectiveStep{});
        }
        return sends_of_next(running[phase], awaited[phase]);
      });
}

Torus::Torus(const CollectiveCall& call, std::uint32_t size)
    : twist_{call.options.twist.begin(), call.options.twist.end()}, size_{size} {
  const std::span<const std::uint32_t> sides = call.options.sides.sides();
  sides_.assign(sides.begin(), sides.end());
  if (sides_.empty()) {
    sides_.push_back(size);
  }
  std::uint32_t stride = 1;
  for (const std::uint32_t side : sides_) {
    strides_.push_back(stride);
    stride *= side;
  }
}

std::uint32_t Torus::moved(std::uint32_t rank, std::uint32_t dimension,
                           std::uint32_t coordinate) const {
  return rank - this->coordinate(rank, dimension) * strides_[dimension] +
         coordinate * strides_[dimension];
}

std::uint32_t Torus::stepped(std::uint32_t rank, std::uint32_t dimension,
                             std::int64_t steps) const {
  const std::int64_t side = sides_[dimension];
  const std::int64_t reached = coordinate(rank, dimension) + steps;
  const std::int64_t wraps = (reached >= 0 ? reached : reached - side + 1) / side;
  std::uint32_t to = moved(rank, dimension, static_cast<std::uint32_t>(reached - wraps * side));
  if (wraps == 0 || twist_.empty()) {
    return to;
  }
  for (std::uint32_t d = 0; d < dimensions(); ++d) {
    const std::int64_t other = sides_[d];
    const std::int64_t shift = wraps * twist_[dimension * dimensions() + d] % other;
    to = moved(to, d, static_cast<std::uint32_t>((coordinate(to, d) + shift + other) % other));
  }
  return to;
}

Members Torus::from_root(std::uint32_t rank, std::uint32_t root) const {
  std::uint32_t own = 0;
  for (std::uint32_t d = 0; d < dimensions(); ++d) {
    own = moved(own, d, (coordinate(rank, d) + sides_[d] - coordinate(root, d)) % sides_[d]);
  }
  return {own, size_, [torus = *this, root](std::uint32_t member) {
            std::uint32_t rank_of = member;
            for (std::uint32_t d = 0; d < torus.dimensions(); ++d) {
              rank_of = torus.moved(
                  rank_of, d,
                  (torus.coordinate(member, d) + torus.coordinate(root, d)) % torus.side(d));
            }
            return rank_of;
          }};
}

Members Torus::ring(std::uint32_t rank, std::uint32_t dimension) const {
  const std::uint32_t stride = strides_[dimension];
  const std::uint32_t own = coordinate(rank, dimension);
  const std::uint32_t first = rank - own * stride;
  return {own, sides_[dimension],
          [first, stride](std::uint32_t member) { return first + member * stride; }};
}

std::vector<std::uint32_t> dimensions_of_port(std::uint32_t port, std::uint32_t dimensions) {
  return numbered(dimensions, [&](std::uint32_t i) { return (port + i) % dimensions; });
}

Around way_of_port(std::uint32_t port, std::uint32_t dimensions) {
  return port < dimensions ? Around::up : Around::down;
}

}  // namespace dcube
