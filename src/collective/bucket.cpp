#include "catalog.hpp"
#include "phases.hpp"

// Rings in one dimension of a torus after the other. After the reduce-scatter in some dimensions, a
// process has the blocks of all that share its coordinates there, combined over all that differ
// from it in these alone. The allgather goes back. With 2D ports the blocks are in 2D parts, which
// begin in different dimensions and go both ways [Jain & Sabharwal 2010; De Sensi et al. 2024].

namespace dcube {
namespace {

/// Steps of one port. block(phase)(coordinate) is all blocks of the ranks that share this one's
/// coordinates in the dimensions of earlier phases and have `coordinate` in that of this phase.
class BucketPort {
 public:
  BucketPort(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size, std::uint32_t port)
      : torus_{call, size},
        order_{dimensions_of_port(port, torus_.dimensions())},
        around_{way_of_port(port, torus_.dimensions())},
        is_numbered_by_phase_{call.kind == CollectiveKind::allreduce},
        blocks_{is_numbered_by_phase_
                    ? Blocks::split_piece(call.count, port, call.options.ports, size)
                    : Blocks::shares(call, size).part(port, call.options.ports)},
        own_{rank} {}

  void add_reduce_scatter(CollectiveSteps& steps) const {
    for (std::uint32_t phase = 0; phase < order_.size(); ++phase) {
      steps.append(ring_reduce_scatter(ring(phase), block(phase), around_));
    }
  }
  void add_allgather(CollectiveSteps& steps) const {
    for (auto phase = static_cast<std::uint32_t>(order_.size()); phase-- > 0;) {
      steps.append(ring_allgather(ring(phase), block(phase), around_));
    }
  }

 private:
  Members ring(std::uint32_t phase) const { return torus_.ring(own_, order_[phase]); }
  BlockOf block(std::uint32_t phase) const {
    return [port = *this, phase](std::uint32_t coordinate) {
      return port.is_numbered_by_phase_ ? port.consecutive(phase, coordinate)
                                        : port.shares(phase, coordinate);
    };
  }

  /// Blocks of an allreduce: numbered by coordinates in the order of phases, so consecutive.
  ElementRanges consecutive(std::uint32_t phase, std::uint32_t coordinate) const {
    std::uint32_t first = 0;
    std::uint32_t count = torus_.size();
    for (std::uint32_t i = 0; i <= phase; ++i) {
      count /= torus_.side(order_[i]);
      first += count * (i == phase ? coordinate : torus_.coordinate(own_, order_[i]));
    }
    return blocks_.run(first, count);
  }

  ElementRanges shares(std::uint32_t phase, std::uint32_t coordinate) const {
    std::vector<bool> is_fixed(torus_.dimensions(), false);
    for (std::uint32_t i = 0; i <= phase; ++i) {
      is_fixed[order_[i]] = true;
    }
    ElementRanges ranges;
    add_shares(ranges, torus_.dimensions(), torus_.moved(own_, order_[phase], coordinate),
               is_fixed);
    return ranges;
  }
  /// Adds the blocks ascending; coordinates below `dimension` are still to be chosen.
  void add_shares(ElementRanges& ranges, std::uint32_t dimension, std::uint32_t rank,
                  const std::vector<bool>& is_fixed) const {
    if (dimension == 0) {
      blocks_.add(ranges, rank);
      return;
    }
    const std::uint32_t chosen = dimension - 1;
    if (is_fixed[chosen]) {
      add_shares(ranges, chosen, rank, is_fixed);
      return;
    }
    for (std::uint32_t i = 0; i < torus_.side(chosen); ++i) {
      add_shares(ranges, chosen, torus_.moved(rank, chosen, i), is_fixed);
    }
  }

  Torus torus_;
  std::vector<std::uint32_t> order_;
  Around around_;
  bool is_numbered_by_phase_;
  Blocks blocks_;
  std::uint32_t own_;
};

CollectivePlan make_bucket(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  return plan_of_ports(call.options.ports, [&](std::uint32_t number) {
    const BucketPort port{call, rank, size, number};
    CollectiveSteps steps;
    if (call.kind != CollectiveKind::allgather) {
      port.add_reduce_scatter(steps);
    }
    if (call.kind != CollectiveKind::reduce_scatter) {
      port.add_allgather(steps);
    }
    return steps;
  });
}

}  // namespace

const CollectiveAlgorithm allreduce_bucket_algorithm{
    CollectiveKind::allreduce,
    "bucket",
    "rings in one dimension of a torus after the other",
    {.commutative = true, .ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_bucket};
const CollectiveAlgorithm reduce_scatter_bucket_algorithm{
    CollectiveKind::reduce_scatter,
    "bucket",
    "rings in one dimension of a torus after the other",
    {.commutative = true, .ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_bucket};
const CollectiveAlgorithm allgather_bucket_algorithm{
    CollectiveKind::allgather,
    "bucket",
    "rings in one dimension of a torus after the other",
    {.ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_bucket};

}  // namespace dcube
