#include <algorithm>

#include "catalog.hpp"
#include "phases.hpp"

// Rings in one dimension of a torus after the other. After the reduce-scatter in some dimensions, a
// process has the blocks of all that share its coordinates there, combined over all that differ
// from it in these alone. The allgather goes back. With 2D ports the blocks are in 2D parts, which
// begin in different dimensions and go both ways [Jain & Sabharwal 2010; De Sensi et al. 2024].
//
// On a twisted torus, steps in different dimensions commute, so with m(j) the steps in dimension j
// that lead to where steps in earlier ones lead, too, every rank has one form x + i(1) e(1) + ..
// with i(j) < m(j), as seen from x. Phase j takes m(j) - 1 steps, whatever j's rings are: it moves
// each block along a path that ends where i(j) is 0.

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

/// m(j) of the phases, for an order of dimensions.
std::vector<std::uint32_t> path_lengths(const Torus& torus,
                                        const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> reached{0};
  std::vector<bool> is_reached(torus.size());
  is_reached[0] = true;
  for (const std::uint32_t dimension : order) {
    const std::size_t before = reached.size();
    std::uint32_t length = 1;
    for (; !is_reached[torus.stepped(0, dimension, length)]; ++length) {
      for (std::size_t i = 0; i < before; ++i) {
        reached.push_back(torus.stepped(reached[i], dimension, length));
        is_reached[reached.back()] = true;
      }
    }
    lengths.push_back(length);
  }
  return lengths;
}

/// Steps of one port on a twisted torus.
class TwistedPort {
 public:
  TwistedPort(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size,
              std::uint32_t port)
      : torus_{call, size},
        order_{dimensions_of_port(port, torus_.dimensions())},
        lengths_{path_lengths(torus_, order_)},
        up_{way_of_port(port, torus_.dimensions()) == Around::up ? 1 : -1},
        blocks_{call.kind == CollectiveKind::allreduce
                    ? Blocks::split_piece(call.count, port, call.options.ports, size)
                    : Blocks::shares(call, size).part(port, call.options.ports)},
        own_{rank} {}

  void add_reduce_scatter(CollectiveSteps& steps) const {
    for (std::uint32_t phase = 0; phase < order_.size(); ++phase) {
      steps.add(lengths_[phase] - 1, [port = *this, phase](std::uint32_t step) {
        const std::uint32_t left = port.lengths_[phase] - 1 - step;
        return exchange_step(port.neighbour(phase, 1), port.blocks(phase, left),
                             port.neighbour(phase, -1), port.blocks(phase, left - 1),
                             OnReceipt::combine_before);
      });
    }
  }
  void add_allgather(CollectiveSteps& steps) const {
    for (auto phase = static_cast<std::uint32_t>(order_.size()); phase-- > 0;) {
      steps.add(lengths_[phase] - 1, [port = *this, phase](std::uint32_t step) {
        return exchange_step(port.neighbour(phase, -1), port.blocks(phase, step),
                             port.neighbour(phase, 1), port.blocks(phase, step + 1));
      });
    }
  }

 private:
  std::uint32_t neighbour(std::uint32_t phase, std::int64_t steps) const {
    return torus_.stepped(own_, order_[phase], up_ * steps);
  }
  /// Blocks of the ranks that are i(phase) = `steps` away, and any number of steps of later phases.
  ElementRanges blocks(std::uint32_t phase, std::uint32_t steps) const {
    std::vector<std::uint32_t> ranks{neighbour(phase, steps)};
    while (++phase < order_.size()) {
      const std::size_t before = ranks.size();
      for (std::uint32_t i = 1; i < lengths_[phase]; ++i) {
        for (std::size_t k = 0; k < before; ++k) {
          ranks.push_back(torus_.stepped(ranks[k], order_[phase], up_ * i));
        }
      }
    }
    std::ranges::sort(ranks);
    ElementRanges ranges;
    for (const std::uint32_t rank : ranks) {
      blocks_.add(ranges, rank);
    }
    return ranges;
  }

  Torus torus_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> lengths_;
  std::int64_t up_;
  Blocks blocks_;
  std::uint32_t own_;
};

template <class Port>
CollectivePlan plan_of_buckets(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  return plan_of_ports(call.options.ports, [&](std::uint32_t number) {
    const Port port{call, rank, size, number};
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

CollectivePlan make_bucket(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  return call.options.twist.empty() ? plan_of_buckets<BucketPort>(call, rank, size)
                                    : plan_of_buckets<TwistedPort>(call, rank, size);
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
