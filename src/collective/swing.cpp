#include "swing.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "catalog.hpp"

namespace dcube {

std::int64_t swing_distance(std::uint32_t step) {
  const std::int64_t power = std::int64_t{1} << (step + 1);
  return (1 - (step % 2 == 0 ? -power : power)) / 3;
}

SwingSteps::SwingSteps(Torus torus, std::uint32_t port)
    : torus_{std::move(torus)},
      is_mirrored_{way_of_port(port, torus_.dimensions()) == Around::down} {
  const std::vector<std::uint32_t> order = dimensions_of_port(port, torus_.dimensions());
  const std::uint32_t count = log2_of(torus_.size());
  for (std::uint32_t step = 0; steps_.size() < count; ++step) {
    for (const std::uint32_t dimension : order) {
      if (step < log2_of(torus_.side(dimension))) {
        steps_.push_back({dimension, step});
      }
    }
  }
}

std::uint32_t SwingSteps::peer(std::uint32_t member, std::uint32_t step) const {
  const auto [dimension, in_dimension] = steps_[step];
  const std::uint32_t own = torus_.coordinate(member, dimension);
  const std::int64_t distance = swing_distance(in_dimension);
  const bool goes_up = (own % 2 == 0) != is_mirrored_;
  const std::int64_t side = torus_.side(dimension);
  const std::int64_t moved = (own + (goes_up ? distance : -distance)) % side;
  return torus_.moved(member, dimension,
                      static_cast<std::uint32_t>(moved < 0 ? moved + side : moved));
}

// In one dimension a way from 0 goes up and down in turn: the steps a < b < c lead to rho(a) -
// rho(b) + rho(c). From step s on all distances are 1/3 modulo 2^(s+1), because rho(s) is (1 -
// (-2)^(s+1)) / 3. So a way that begins after step s leads to 0 or to 1/3 modulo 2^(s+2); rho(s)
// and rho(s) - 1/3 are neither there. A way that takes step s goes on from rho(s) like a mirrored
// one from 0.
std::uint32_t SwingSteps::place(std::uint32_t member) const {
  std::uint32_t place = 0;
  std::vector<std::uint64_t> left(torus_.dimensions());
  for (std::uint32_t dimension = 0; dimension < torus_.dimensions(); ++dimension) {
    const std::uint64_t own = torus_.coordinate(member, dimension);
    left[dimension] = is_mirrored_ ? 0 - own : own;
  }
  for (std::uint32_t step = 0; step < count(); ++step) {
    const auto [dimension, in_dimension] = steps_[step];
    const std::uint32_t bits = std::min(
        in_dimension + 2, log2_of(torus_.side(dimension)));  // after the last step, equality
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    constexpr std::uint64_t third = 0xAAAAAAAAAAAAAAAB;  // modulo 2^64
    std::uint64_t& way = left[dimension];
    const bool is_last = in_dimension + 1 == log2_of(torus_.side(dimension));
    const bool is_without = (way & mask) == 0 || (!is_last && ((way - third) & mask) == 0);
    if (!is_without) {
      place |= std::uint32_t{1} << step;
      way = static_cast<std::uint64_t>(swing_distance(in_dimension)) - way;
    }
  }
  return place;
}

std::vector<std::uint32_t> SwingSteps::responsible(std::uint32_t member,
                                                   std::uint32_t steps) const {
  std::vector<std::uint32_t> members{member};
  for (std::uint32_t step = steps; step < count(); ++step) {
    const std::size_t before = members.size();
    for (std::size_t i = 0; i < before; ++i) {
      members.push_back(peer(members[i], step));
    }
  }
  std::ranges::sort(members);
  return members;
}

namespace {

/// Torus of the members that remain once a ring has been folded.
Torus folded_torus(const CollectiveCall& call, std::uint32_t size) {
  if (call.options.sides.sides().size() > 1) {
    return {call, size};
  }
  return {CollectiveCall{}, std::bit_floor(size)};
}

ElementRanges blocks_of(const Blocks& blocks, const std::vector<std::uint32_t>& members) {
  ElementRanges ranges;
  for (const std::uint32_t member : members) {
    blocks.add(ranges, member);
  }
  return ranges;
}

CollectiveSteps swing_reduce_scatter(const Members& members, const SwingSteps& swing,
                                     const Blocks& blocks) {
  CollectiveSteps steps;
  steps.add(swing.count(), [members, swing, blocks](std::uint32_t step) {
    const std::uint32_t peer = swing.peer(members.own, step);
    const std::uint32_t rank = members.rank(peer);
    return exchange_step(rank, blocks_of(blocks, swing.responsible(peer, step + 1)), rank,
                         blocks_of(blocks, swing.responsible(members.own, step + 1)),
                         OnReceipt::combine_after);
  });
  return steps;
}

CollectiveSteps swing_allgather(const Members& members, const SwingSteps& swing,
                                const Blocks& blocks) {
  CollectiveSteps steps;
  steps.add(swing.count(), [members, swing, blocks](std::uint32_t index) {
    const std::uint32_t step = swing.count() - 1 - index;
    const std::uint32_t peer = swing.peer(members.own, step);
    const std::uint32_t rank = members.rank(peer);
    return exchange_step(rank, blocks_of(blocks, swing.responsible(members.own, step + 1)), rank,
                         blocks_of(blocks, swing.responsible(peer, step + 1)));
  });
  return steps;
}

CollectivePlan make_swing_latency(const CollectiveCall& call, std::uint32_t rank,
                                  std::uint32_t size) {
  const Torus torus = folded_torus(call, size);
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const ElementRanges elements = Blocks::split(call.count, ports)[port];
    return fold(Members::all(rank, size), elements, [&](const Members& members) {
      const SwingSteps swing{torus, port};
      CollectiveSteps steps;
      steps.add(swing.count(), [members, swing, elements](std::uint32_t step) {
        const std::uint32_t peer = members.rank(swing.peer(members.own, step));
        return exchange_step(peer, elements, peer, elements, OnReceipt::combine_after);
      });
      return steps;
    });
  });
}

/// Any member may answer for any elements, so each answers for consecutive ones.
CollectivePlan make_swing_bandwidth(const CollectiveCall& call, std::uint32_t rank,
                                    std::uint32_t size) {
  const Torus torus = folded_torus(call, size);
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const Blocks blocks = Blocks::split_piece(call.count, port, ports, torus.size());
    return fold(Members::all(rank, size), blocks.all(), [&](const Members& members) {
      const SwingSteps swing{torus, port};
      const std::uint32_t place = swing.place(members.own);
      CollectiveSteps steps;
      steps.add(swing.count(), [members, swing, place, blocks](std::uint32_t step) {
        const std::uint32_t peer = members.rank(swing.peer(members.own, step));
        return exchange_step(peer, kept_by_halving(blocks, place ^ (1U << step), step + 1), peer,
                             kept_by_halving(blocks, place, step + 1), OnReceipt::combine_after);
      });
      steps.add(swing.count(), [members, swing, place, blocks](std::uint32_t index) {
        const std::uint32_t step = swing.count() - 1 - index;
        const std::uint32_t peer = members.rank(swing.peer(members.own, step));
        return exchange_step(peer, kept_by_halving(blocks, place, step + 1), peer,
                             kept_by_halving(blocks, place ^ (1U << step), step + 1));
      });
      return steps;
    });
  });
}

template <CollectiveSteps phase(const Members&, const SwingSteps&, const Blocks&)>
CollectivePlan make_swing_phase(const CollectiveCall& call, std::uint32_t rank,
                                std::uint32_t size) {
  const std::uint32_t ports = call.options.ports;
  const Blocks blocks = Blocks::shares(call, size);
  return plan_of_ports(ports, [&](std::uint32_t port) {
    return phase(Members::all(rank, size), SwingSteps{Torus{call, size}, port},
                 blocks.part(port, ports));
  });
}

constexpr CollectiveNeeds swing_needs(bool power_of_two, bool commutative) {
  return {.power_of_two = power_of_two,
          .power_of_two_sides = true,
          .commutative = commutative,
          .ports = CollectiveNeeds::Ports::two_a_dimension,
          .sides = true};
}

}  // namespace

const CollectiveAlgorithm allreduce_swing_latency_algorithm{
    CollectiveKind::allreduce, "swing_latency",
    "all values with ranks at distances 1, 1, 3, 5, 11, .. up and down: lg p (a + n b + n g)",
    swing_needs(false, true), make_swing_latency};
const CollectiveAlgorithm allreduce_swing_bandwidth_algorithm{
    CollectiveKind::allreduce, "swing_bandwidth",
    "reduce-scatter, then allgather with ranks at distances 1, 1, 3, 5, 11, .. up and down: "
    "2 lg p a + 2 n (p-1)/p b + n (p-1)/p g",
    swing_needs(false, true), make_swing_bandwidth};
const CollectiveAlgorithm reduce_scatter_swing_algorithm{
    CollectiveKind::reduce_scatter, "swing",
    "the first half of swing_bandwidth: lg p a + n (p-1)/p (b + g)", swing_needs(true, true),
    make_swing_phase<swing_reduce_scatter>};
const CollectiveAlgorithm allgather_swing_algorithm{
    CollectiveKind::allgather, "swing", "the second half of swing_bandwidth: lg p a + n (p-1)/p b",
    swing_needs(true, false), make_swing_phase<swing_allgather>};

}  // namespace dcube
