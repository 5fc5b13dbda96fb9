#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "hamiltonian_rings.hpp"
#include "phases.hpp"

// Everybody sends to the next member and receives from the one before. With two ports half of every
// block goes the other way around. Disjoint rings have a part each, or two, one each way around.

namespace dcube {
namespace {

/// `members`, numbered the way around.
Members turned(const Members& members, Around around) {
  if (around == Around::up) {
    return members;
  }
  return {members.size - 1 - members.own, members.size,
          [size = members.size, rank = members.rank](std::uint32_t member) {
            return rank(size - 1 - member);
          }};
}
BlockOf turned(const BlockOf& block, std::uint32_t size, Around around) {
  if (around == Around::up) {
    return block;
  }
  return [size, block](std::uint32_t member) { return block(size - 1 - member); };
}

/// In step k each member sends the next one the block of the member `first_back` + k before it.
CollectiveSteps ring_steps(const Members& members, const BlockOf& block, Around around,
                           std::uint32_t first_back, OnReceipt on_receipt) {
  const Members ring = turned(members, around);
  return CollectiveSteps(
      ring.size - 1,
      [to = ring.rank(rank_above(ring.own, 1, ring.size)),
       from = ring.rank(rank_below(ring.own, 1, ring.size)), own = ring.own, size = ring.size,
       block = turned(block, members.size, around), first_back, on_receipt](std::uint32_t step) {
        const std::uint32_t back = first_back + step;
        return exchange_step(to, block(rank_below(own, back, size)), from,
                             block(rank_below(own, back + 1, size)), on_receipt);
      });
}

Around way_of(std::uint32_t port) { return port == 0 ? Around::up : Around::down; }

CollectivePlan make_ring_allreduce(const CollectiveCall& call, std::uint32_t rank,
                                   std::uint32_t size) {
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const BlockOf block = [blocks = Blocks::split_piece(call.count, port, ports, size)](
                              std::uint32_t member) { return blocks[member]; };
    const Members members = Members::all(rank, size);
    CollectiveSteps steps = ring_reduce_scatter(members, block, way_of(port));
    steps.append(ring_allgather(members, block, way_of(port)));
    return steps;
  });
}

template <CollectiveSteps phase(const Members&, const BlockOf&, Around)>
CollectivePlan make_ring_phase(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    return phase(
        Members::all(rank, size),
        [blocks = Blocks::shares(call, size).part(port, ports)](std::uint32_t member) {
          return blocks[member];
        },
        way_of(port));
  });
}

std::shared_ptr<const HamiltonianRings> rings_of(const CollectiveCall& call, std::uint32_t size) {
  CollectiveOptions options = call.options;
  if (options.sides.sides().empty()) {
    options.sides = TorusSides{size};
  }
  return edge_disjoint_rings(options);
}

CollectivePlan make_disjoint_rings(const CollectiveCall& call, std::uint32_t rank,
                                   std::uint32_t size) {
  const std::shared_ptr<const HamiltonianRings> rings = rings_of(call, size);
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const auto count = static_cast<std::uint32_t>(rings->size());
    const HamiltonianRing& ring = (*rings)[port % count];
    const Members members{ring.places[rank], size,
                          [rings, &ring](std::uint32_t member) { return ring.ranks[member]; }};
    const bool is_numbered_by_place = call.kind == CollectiveKind::allreduce;
    const Blocks blocks = is_numbered_by_place ? Blocks::split_piece(call.count, port, ports, size)
                                               : Blocks::shares(call, size).part(port, ports);
    const BlockOf block = [blocks, is_numbered_by_place,
                           rank_of = members.rank](std::uint32_t member) {
      return blocks[is_numbered_by_place ? member : rank_of(member)];
    };
    const Around around = port < count ? Around::up : Around::down;
    CollectiveSteps steps;
    if (call.kind != CollectiveKind::allgather) {
      steps.append(ring_reduce_scatter(members, block, around));
    }
    if (call.kind != CollectiveKind::reduce_scatter) {
      steps.append(ring_allgather(members, block, around));
    }
    return steps;
  });
}

std::optional<std::string> disjoint_rings_obstacle(const CollectiveCall& call, std::uint32_t size) {
  if (rings_of(call, size)->empty()) {
    return fmt::format("found no edge-disjoint rings on {} (bucket takes any torus)",
                       joined(call.options.sides.sides(), "x"));
  }
  return std::nullopt;
}

CollectiveAlgorithm disjoint_rings(CollectiveKind kind, const char* time = "") {
  return {kind,
          "disjoint_rings",
          fmt::format("ring on D rings through a torus of D sides that share no link{}", time),
          {.commutative = kind != CollectiveKind::allgather,
           .ports = CollectiveNeeds::Ports::two_a_ring,
           .sides = true,
           .gain = CollectiveNeeds::Gain::on_torus},
          make_disjoint_rings,
          disjoint_rings_obstacle};
}

}  // namespace

CollectiveSteps ring_reduce_scatter(const Members& members, const BlockOf& block, Around around) {
  return ring_steps(members, block, around, 1, OnReceipt::combine_before);
}

CollectiveSteps ring_allgather(const Members& members, const BlockOf& block, Around around) {
  return ring_steps(members, block, around, 0, OnReceipt::write);
}

const CollectiveAlgorithm allreduce_ring_algorithm{
    CollectiveKind::allreduce,
    "ring",
    "reduce-scatter, then allgather around the ring: 2 (p-1) a + 2 n (p-1)/p b + n (p-1)/p g",
    {.commutative = true, .ports = CollectiveNeeds::Ports::two},
    make_ring_allreduce};
const CollectiveAlgorithm reduce_scatter_ring_algorithm{
    CollectiveKind::reduce_scatter,
    "ring",
    "partial results around the ring: (p-1) a + n (p-1)/p (b + g)",
    {.commutative = true, .ports = CollectiveNeeds::Ports::two},
    make_ring_phase<ring_reduce_scatter>};
const CollectiveAlgorithm allgather_ring_algorithm{CollectiveKind::allgather,
                                                   "ring",
                                                   "shares around the ring: (p-1) a + n (p-1)/p b",
                                                   {.ports = CollectiveNeeds::Ports::two},
                                                   make_ring_phase<ring_allgather>};

const CollectiveAlgorithm allreduce_disjoint_rings_algorithm =
    disjoint_rings(CollectiveKind::allreduce, ": 2 (p-1) a + n (p-1)/(p D) b with 2D ports");
const CollectiveAlgorithm reduce_scatter_disjoint_rings_algorithm =
    disjoint_rings(CollectiveKind::reduce_scatter);
const CollectiveAlgorithm allgather_disjoint_rings_algorithm =
    disjoint_rings(CollectiveKind::allgather);

}  // namespace dcube
