#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

// Rings in one dimension of a torus after the other. After the reduce-scatter in some dimensions a
// process has what all that differ from it in these alone have combined, of the blocks of those
// that have the same coordinates there. The allgather goes back the same way. With 2D ports the
// blocks are in 2D parts, which begin in different dimensions and go around both ways
// [Jain & Sabharwal 2010; De Sensi et al. 2024].

namespace dcube {
namespace {

/// The blocks of the ranks that have these coordinates in the first dimensions of an order.
class BucketBlocks {
 public:
  BucketBlocks(Torus torus, Blocks blocks, std::vector<std::uint32_t> order, std::uint32_t own)
      : torus_{std::move(torus)}, blocks_{std::move(blocks)}, order_{std::move(order)}, own_{own} {}

  /// Those that are like this rank in the dimensions before number `phase` of the order, and have
  /// that coordinate in it.
  ElementRanges operator()(std::uint32_t phase, std::uint32_t coordinate) const {
    const std::uint32_t dimensions = torus_.dimensions();
    std::vector<bool> is_fixed(dimensions, false);
    for (std::uint32_t i = 0; i <= phase; ++i) {
      is_fixed[order_[i]] = true;
    }
    ElementRanges ranges;
    add(ranges, dimensions, torus_.moved(own_, order_[phase], coordinate), is_fixed);
    return ranges;
  }

 private:
  /// In ascending order: dimensions below `dimension` are still to be chosen.
  void add(ElementRanges& ranges, std::uint32_t dimension, std::uint32_t rank,
           const std::vector<bool>& is_fixed) const {
    if (dimension == 0) {
      blocks_.add(ranges, rank);
      return;
    }
    const std::uint32_t chosen = dimension - 1;
    if (is_fixed[chosen]) {
      add(ranges, chosen, rank, is_fixed);
      return;
    }
    for (std::uint32_t i = 0; i < torus_.side(chosen); ++i) {
      add(ranges, chosen, torus_.moved(rank, chosen, i), is_fixed);
    }
  }

  Torus torus_;
  Blocks blocks_;
  std::vector<std::uint32_t> order_;
  std::uint32_t own_;
};

CollectivePlan bucket_plan(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size,
                           const Blocks& blocks) {
  const Torus torus{call, size};
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const std::vector<std::uint32_t> order = dimensions_of_port(port, torus.dimensions());
    const Around around = way_of_port(port, torus.dimensions());
    const BucketBlocks bucket{torus, blocks.part(port, ports), order, rank};
    const auto block_of = [&bucket](std::uint32_t phase) {
      return [bucket, phase](std::uint32_t coordinate) { return bucket(phase, coordinate); };
    };
    CollectiveSteps steps;
    if (call.kind != CollectiveKind::allgather) {
      for (std::uint32_t phase = 0; phase < torus.dimensions(); ++phase) {
        steps.append(ring_reduce_scatter(torus.ring(rank, order[phase]), block_of(phase), around));
      }
    }
    if (call.kind != CollectiveKind::reduce_scatter) {
      for (std::uint32_t phase = torus.dimensions(); phase-- > 0;) {
        steps.append(ring_allgather(torus.ring(rank, order[phase]), block_of(phase), around));
      }
    }
    return steps;
  });
}

CollectivePlan make_bucket_allreduce(const CollectiveCall& call, std::uint32_t rank,
                                     std::uint32_t size) {
  return bucket_plan(call, rank, size, Blocks::split(call.count, size));
}

CollectivePlan make_bucket_phase(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  return bucket_plan(call, rank, size, Blocks::shares(call, size));
}

}  // namespace

const CollectiveAlgorithm allreduce_bucket_algorithm{
    CollectiveKind::allreduce,
    "bucket",
    "rings in one dimension of a torus after the other",
    {.commutative = true, .ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_bucket_allreduce};
const CollectiveAlgorithm reduce_scatter_bucket_algorithm{
    CollectiveKind::reduce_scatter,
    "bucket",
    "rings in one dimension of a torus after the other",
    {.commutative = true, .ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_bucket_phase};
const CollectiveAlgorithm allgather_bucket_algorithm{
    CollectiveKind::allgather,
    "bucket",
    "rings in one dimension of a torus after the other",
    {.ports = CollectiveNeeds::Ports::two_a_dimension, .sides = true},
    make_bucket_phase};

}  // namespace dcube
