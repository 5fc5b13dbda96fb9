#include <bit>

#include "catalog.hpp"
#include "torus_steps.hpp"

// Exchanges on a torus, one dimension after the other: with Swing's distances [De Sensi et al.
// 2024] or with powers of two.

namespace dcube {

namespace {

/// Torus of the members that remain once a ring has been folded.
Torus folded_torus(const CollectiveCall& call, std::uint32_t size) {
  if (call.options.sides.sides().size() > 1) {
    return {call, size};
  }
  return {CollectiveCall{}, std::bit_floor(size)};
}

CollectiveSteps swing_reduce_scatter(const Members& members, const TorusSteps& swing,
                                     const Blocks& blocks) {
  return CollectiveSteps(swing.count(), [members, swing, blocks](std::uint32_t step) {
    const std::uint32_t peer = swing.peer(members.own, step);
    const std::uint32_t rank = members.rank(peer);
    return exchange_step(rank, blocks.of(swing.responsible(peer, step + 1)), rank,
                         blocks.of(swing.responsible(members.own, step + 1)),
                         OnReceipt::combine_after);
  });
}

CollectiveSteps swing_allgather(const Members& members, const TorusSteps& swing,
                                const Blocks& blocks) {
  return CollectiveSteps(swing.count(), [members, swing, blocks](std::uint32_t index) {
    const std::uint32_t step = swing.count() - 1 - index;
    const std::uint32_t peer = swing.peer(members.own, step);
    const std::uint32_t rank = members.rank(peer);
    return exchange_step(rank, blocks.of(swing.responsible(members.own, step + 1)), rank,
                         blocks.of(swing.responsible(peer, step + 1)));
  });
}

template <StepDistance distance>
CollectivePlan make_latency(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Torus torus = folded_torus(call, size);
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const ElementRanges elements = Blocks::split(call.count, ports)[port];
    return fold(Members::all(rank, size), elements, [&](const Members& members) {
      const TorusSteps exchanges{torus, port, distance};
      return CollectiveSteps(exchanges.count(), [members, exchanges, elements](std::uint32_t step) {
        const std::uint32_t peer = members.rank(exchanges.peer(members.own, step));
        return exchange_step(peer, elements, peer, elements, OnReceipt::combine_after);
      });
    });
  });
}

template <StepDistance distance>
CollectivePlan make_bandwidth(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Torus torus = folded_torus(call, size);
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const Blocks blocks = Blocks::split_piece(call.count, port, ports, torus.size());
    return fold(Members::all(rank, size), blocks.all(), [&](const Members& members) {
      const TorusSteps exchanges{torus, port, distance};
      CollectiveSteps steps = halving_reduce_scatter(members, exchanges, blocks);
      steps.append(doubling_allgather(members, exchanges, blocks));
      return steps;
    });
  });
}

template <CollectiveSteps phase(const Members&, const TorusSteps&, const Blocks&)>
CollectivePlan make_swing_phase(const CollectiveCall& call, std::uint32_t rank,
                                std::uint32_t size) {
  const std::uint32_t ports = call.options.ports;
  const Blocks blocks = Blocks::shares(call, size);
  return plan_of_ports(ports, [&](std::uint32_t port) {
    return phase(Members::all(rank, size), TorusSteps{Torus{call, size}, port, StepDistance::swing},
                 blocks.part(port, ports));
  });
}

/// Of algorithms that are others under second names, but on a torus.
constexpr CollectiveNeeds needs_of_doubling() {
  CollectiveNeeds needs = torus_needs(false, true);
  needs.gain = CollectiveNeeds::Gain::on_torus;
  return needs;
}

}  // namespace

CollectiveSteps halving_reduce_scatter(const Members& members, const TorusSteps& exchanges,
                                       const Blocks& blocks) {
  CollectiveSteps steps;
  const std::uint32_t place = exchanges.place(members.own);
  steps.add(exchanges.count(), [members, exchanges, place, blocks](std::uint32_t step) {
    const std::uint32_t peer = members.rank(exchanges.peer(members.own, step));
    return exchange_step(peer, kept_by_halving(blocks, place ^ (1U << step), step + 1), peer,
                         kept_by_halving(blocks, place, step + 1), OnReceipt::combine_after);
  });
  return steps;
}

CollectiveSteps doubling_allgather(const Members& members, const TorusSteps& exchanges,
                                   const Blocks& blocks) {
  CollectiveSteps steps;
  const std::uint32_t place = exchanges.place(members.own);
  steps.add(exchanges.count(), [members, exchanges, place, blocks](std::uint32_t index) {
    const std::uint32_t step = exchanges.count() - 1 - index;
    const std::uint32_t peer = members.rank(exchanges.peer(members.own, step));
    return exchange_step(peer, kept_by_halving(blocks, place, step + 1), peer,
                         kept_by_halving(blocks, place ^ (1U << step), step + 1));
  });
  return steps;
}

const CollectiveAlgorithm allreduce_swing_latency_algorithm{
    CollectiveKind::allreduce, "swing_latency",
    "all values with ranks at distances 1, 1, 3, 5, 11, .. up and down: lg p (a + n b + n g)",
    torus_needs(false, true), make_latency<StepDistance::swing>};
const CollectiveAlgorithm allreduce_swing_bandwidth_algorithm{
    CollectiveKind::allreduce, "swing_bandwidth",
    "reduce-scatter, then allgather with ranks at distances 1, 1, 3, 5, 11, .. up and down: "
    "2 lg p a + 2 n (p-1)/p b + n (p-1)/p g",
    torus_needs(false, true), make_bandwidth<StepDistance::swing>};
const CollectiveAlgorithm allreduce_torus_recursive_doubling_algorithm{
    CollectiveKind::allreduce, "torus_recursive_doubling",
    "all values with ranks at distances 1, 2, 4, .. in each dimension: lg p (a + n b + n g)",
    needs_of_doubling(), make_latency<StepDistance::power_of_two>};
const CollectiveAlgorithm allreduce_torus_rabenseifner_algorithm{
    CollectiveKind::allreduce, "torus_rabenseifner",
    "reduce-scatter, then allgather with ranks at distances 1, 2, 4, .. in each dimension: "
    "2 lg p a + 2 n (p-1)/p b + n (p-1)/p g",
    needs_of_doubling(), make_bandwidth<StepDistance::power_of_two>};
const CollectiveAlgorithm reduce_scatter_swing_algorithm{
    CollectiveKind::reduce_scatter, "swing",
    "the first half of swing_bandwidth: lg p a + n (p-1)/p (b + g)", torus_needs(true, true),
    make_swing_phase<swing_reduce_scatter>};
const CollectiveAlgorithm allgather_swing_algorithm{
    CollectiveKind::allgather, "swing", "the second half of swing_bandwidth: lg p a + n (p-1)/p b",
    torus_needs(true, false), make_swing_phase<swing_allgather>};

}  // namespace dcube
