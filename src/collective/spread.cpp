#include <bit>
#include <vector>

#include "catalog.hpp"
#include "phases.hpp"

// An all-to-all in one dimension of a torus after the other, between ranks that differ in that
// dimension alone. A block's place has its sender's coordinates in the dimensions that are done,
// its receiver's in the others. A phase turns the receiver's into the sender's.
//
// Or all at once, in rounds. The digits of a round's number say how far its messages go in each
// dimension. Each port has another order of digits, so that ports use different links.

namespace dcube {
namespace {

ElementBuffer phase_buffer(std::uint32_t phase, std::uint32_t phases) {
  if (phase == 0) {
    return ElementBuffer::input;
  }
  return (phases - phase) % 2 == 0 ? ElementBuffer::work : ElementBuffer::scratch;
}

/// Blocks of all numbers that have this coordinate.
ElementRanges slab(const Torus& torus, const Blocks& blocks, std::uint32_t dimension,
                   std::uint32_t coordinate) {
  ElementRanges ranges;
  const std::uint32_t stride = torus.stride(dimension);
  const std::uint32_t period = stride * torus.side(dimension);
  for (std::uint64_t first = std::uint64_t{coordinate} * stride; first < torus.size();
       first += period) {
    for (std::uint32_t i = 0; i < stride; ++i) {
      blocks.add(ranges, static_cast<std::uint32_t>(first) + i);
    }
  }
  return ranges;
}

/// Exchange in one dimension, of one port.
struct Phase {
  Torus torus;
  Blocks blocks;
  std::uint32_t dimension;
  std::uint32_t number;
  bool goes_up;
};

/// `add(steps, phase)` adds the steps of each phase.
template <class Add>
CollectivePlan plan_of_phases(const CollectiveCall& call, std::uint32_t size, Add add) {
  const Torus torus{call, size};
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    Phase phase{torus, Blocks::equal(call.count, size).part(port, ports), 0, 0,
                way_of_port(port, torus.dimensions()) == Around::up};
    CollectiveSteps steps;
    for (const std::uint32_t dimension : dimensions_of_port(port, torus.dimensions())) {
      phase.dimension = dimension;
      add(steps, phase);
      ++phase.number;
    }
    return steps;
  });
}

CollectivePlan make_spread(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  return plan_of_phases(call, size, [rank](CollectiveSteps& steps, const Phase& phase) {
    steps.add(phase.torus.side(phase.dimension), [rank, phase](std::uint32_t round) {
      const auto& [torus, blocks, dimension, number, goes_up] = phase;
      const std::uint32_t own = torus.coordinate(rank, dimension);
      const std::uint32_t side = torus.side(dimension);
      const std::uint32_t up = (own + round) % side;
      const std::uint32_t down = (own + side - round) % side;
      const std::uint32_t to = goes_up ? up : down;
      const std::uint32_t from = goes_up ? down : up;
      CollectiveStep step =
          exchange_step(torus.moved(rank, dimension, to), slab(torus, blocks, dimension, to),
                        torus.moved(rank, dimension, from), slab(torus, blocks, dimension, from));
      step.source = phase_buffer(number, torus.dimensions());
      step.target = phase_buffer(number + 1, torus.dimensions());
      return step;
    });
  });
}

/// The rank at the other end of a message of the round; `is_sent`: of one that `rank` sends.
std::uint32_t partner(const Torus& torus, const std::vector<std::uint32_t>& order,
                      std::uint32_t rank, std::uint32_t round, bool is_sent) {
  std::uint32_t other = rank;
  for (const std::uint32_t dimension : order) {
    const std::uint32_t side = torus.side(dimension);
    const std::uint32_t own = torus.coordinate(rank, dimension);
    const std::uint32_t digit = round % side;
    const std::uint32_t shifted = (own + (is_sent ? digit : side - digit)) % side;
    other = torus.moved(other, dimension, std::has_single_bit(side) ? own ^ digit : shifted);
    round /= side;
  }
  return other;
}

CollectivePlan make_torus_linear(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  const Torus torus{call, size};
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const Blocks blocks = Blocks::equal(call.count, size).part(port, ports);
    const std::vector<std::uint32_t> order = dimensions_of_port(port, torus.dimensions());
    CollectiveSteps steps;
    steps.add(1, [=](std::uint32_t) {
      CollectiveStep step = exchange_step(rank, blocks[rank], rank, blocks[rank]);
      step.source = ElementBuffer::input;
      return step;
    });
    steps.add(size - 1, [=](std::uint32_t round) {
      const std::uint32_t to = partner(torus, order, rank, round + 1, true);
      CollectiveStep step = send_step(to, blocks[to]);
      step.source = ElementBuffer::input;
      return step;
    });
    steps.add(size - 1, [=](std::uint32_t round) {
      const std::uint32_t from = partner(torus, order, rank, round + 1, false);
      return receive_step(from, blocks[from]);
    });
    return steps;
  });
}

/// Each phase as Bruck's exchange (bruck.cpp). In a dimension, slabs that have yet to go `distance`
/// ranks on are at the coordinate place(distance).
CollectivePlan make_spread_bruck(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  return plan_of_phases(call, size, [rank](CollectiveSteps& steps, const Phase& phase) {
    const std::uint32_t side = phase.torus.side(phase.dimension);
    const std::uint32_t own = phase.torus.coordinate(rank, phase.dimension);
    const auto place = [side, own, goes_up = phase.goes_up](std::uint32_t distance) {
      return (own + (goes_up ? side - distance : distance)) % side;
    };
    const auto add = [phase](ElementRanges& ranges, std::uint32_t coordinate) {
      for (const ElementRange& range :
           slab(phase.torus, phase.blocks, phase.dimension, coordinate)) {
        ranges.add(range);
      }
    };
    steps.add(1, [=](std::uint32_t) {
      CollectiveStep turn = exchange_step(rank, {}, rank, {});
      turn.source = phase.number == 0 ? ElementBuffer::input : ElementBuffer::work;
      for (std::uint32_t distance = 0; distance < side; ++distance) {
        add(turn.sent, place(distance == 0 ? 0 : side - distance));
        add(turn.received, place(distance));
      }
      return turn;
    });
    steps.add(static_cast<std::uint32_t>(std::bit_width(side - 1)), [=](std::uint32_t index) {
      const std::uint32_t bit = 1U << index;
      ElementRanges moved;
      for (std::uint32_t distance = bit; distance < side; ++distance) {
        if ((distance & bit) != 0) {
          add(moved, place(distance));
        }
      }
      return exchange_step(phase.torus.moved(rank, phase.dimension, place(side - bit)), moved,
                           phase.torus.moved(rank, phase.dimension, place(bit)), moved);
    });
  });
}

}  // namespace

const CollectiveAlgorithm all_to_all_spread_algorithm{
    CollectiveKind::all_to_all,
    "spread",
    "in one dimension of a torus after the other: the sum of sides - 1 steps",
    {.ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_spread};

const CollectiveAlgorithm all_to_all_spread_bruck_algorithm{
    CollectiveKind::all_to_all,
    "spread_bruck",
    "in one dimension of a torus after the other as bruck: the sum of ceil(lg side) steps",
    {.ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_spread_bruck};

const CollectiveAlgorithm all_to_all_torus_linear_algorithm{
    CollectiveKind::all_to_all,
    "torus_linear",
    "all messages are sent, in rounds of the same distances on a torus, then all received",
    {.ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_torus_linear};

}  // namespace dcube
