#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "phases.hpp"

// Rings in one dimension of a torus after the other. After the reduce-scatter in some dimensions, a
// process has the blocks of all that share its coordinates there, combined over all that differ
// from it in these alone. The allgather goes back. With 2D ports the blocks are in 2D parts, which
// begin in different dimensions and go both ways [Jain & Sabharwal 2010; De Sensi et al. 2024].
//
// With equal parts, ports that begin in a short dimension meet those that are still in a long one,
// and every step of theirs waits. `bucket_balanced` has parts in proportion to k/(k-1), for the
// side k that they begin in, so all leave their first dimension together, and no port begins a
// phase before all have ended the one before: never are two in one dimension and direction.
//
// On a twisted torus, steps in different dimensions commute, so with m(j) the steps in dimension j
// that lead to where steps in earlier ones lead, too, every rank has one form x + i(1) e(1) + ..
// with i(j) < m(j), as seen from x. Phase j takes m(j) - 1 steps, whatever j's rings are: it moves
// each block along a path that ends where i(j) is 0.

namespace dcube {
namespace {

/// Parts of the ports.
enum class Shares : std::uint8_t { equal, balanced };

/// What the port begins with, a multiple of k/(k-1), or half of that where k is 2: two ports share
/// the only link.
std::uint64_t weight_of_port(const Torus& torus, std::uint32_t port) {
  const std::vector<std::uint32_t> order = dimensions_of_port(port, torus.dimensions());
  const auto begin = std::ranges::find_if(
      order, [&](std::uint32_t dimension) { return torus.side(dimension) > 1; });
  std::uint64_t weight = 2;
  for (const std::uint32_t dimension : order) {
    const std::uint64_t side = torus.side(dimension);
    if (begin != order.end() && dimension == *begin) {
      weight = weight * side / (side == 2 ? 2 : 1);
    } else if (side > 1) {
      weight *= side - 1;
    }
  }
  return weight;
}

/// The blocks of ranks, or of an allreduce, that a port works on.
Blocks blocks_of_port(const CollectiveCall& call, const Torus& torus, std::uint32_t port,
                      Shares shares) {
  const std::uint32_t ports = call.options.ports;
  if (shares == Shares::equal) {
    return call.kind == CollectiveKind::allreduce
               ? Blocks::split_piece(call.count, port, ports, torus.size())
               : Blocks::shares(call, torus.size()).part(port, ports);
  }
  Portion portion{0, weight_of_port(torus, port), 0};
  for (std::uint32_t other = 0; other < ports; ++other) {
    const std::uint64_t weight = weight_of_port(torus, other);
    portion.before += other < port ? weight : 0;
    portion.all += weight;
  }
  return call.kind == CollectiveKind::allreduce
             ? Blocks::split_portion(call.count, portion, torus.size())
             : Blocks::shares(call, torus.size()).part(portion);
}

/// Steps of one port. block(phase)(coordinate) is all blocks of the ranks that share this one's
/// coordinates in the dimensions of earlier phases and have `coordinate` in that of this phase.
class BucketPort {
 public:
  BucketPort(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size, std::uint32_t port,
             Shares shares)
      : torus_{call, size},
        port_{port},
        order_{dimensions_of_port(port, torus_.dimensions())},
        around_{way_of_port(port, torus_.dimensions())},
        is_numbered_by_phase_{call.kind == CollectiveKind::allreduce},
        blocks_{blocks_of_port(call, torus_, port, shares)},
        own_{rank} {}

  std::uint32_t phases() const { return static_cast<std::uint32_t>(order_.size()); }
  CollectiveSteps reduce_scatter(std::uint32_t phase) const {
    return ring_reduce_scatter(ring(phase), block(phase), around_);
  }
  CollectiveSteps allgather(std::uint32_t phase) const {
    return ring_allgather(ring(phase), block(phase), around_);
  }

  std::uint32_t steps_of(std::uint32_t phase) const { return torus_.side(order_[phase]) - 1; }
  /// What a step of the phase sends, in proportion to what those of other ports and phases send.
  UInt128 bytes_of_step(std::uint32_t phase) const {
    UInt128 bytes = UInt128{weight_of_port(torus_, port_)} * torus_.size();
    for (std::uint32_t i = 0; i <= phase; ++i) {
      bytes /= torus_.side(order_[i]);
    }
    return bytes;
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
  std::uint32_t port_;
  std::vector<std::uint32_t> order_;
  Around around_;
  bool is_numbered_by_phase_;
  Blocks blocks_;
  std::uint32_t own_;
};

/// Steps on a twisted torus.
struct TwistedPaths {
  /// [direction][dimension][rank]: the next rank; direction 0 is up.
  std::array<std::vector<std::vector<std::uint32_t>>, 2> next;
  /// [dimension]: m(j) of the phases of ports that begin in it.
  std::vector<std::vector<std::uint32_t>> lengths;
  /// [direction][dimension][rank]: block of an allreduce that belongs to a rank, for ports that
  /// begin in the dimension. Those of consecutive i(j) of the last phase are consecutive.
  std::array<std::vector<std::vector<std::uint32_t>>, 2> numbers;

  /// Ranks that lead to `rank` in phases from `phase` on, of ports that begin in dimension `first`.
  std::vector<std::uint32_t> box(std::uint32_t rank, std::uint32_t first, std::size_t direction,
                                 std::uint32_t phase) const {
    std::vector<std::uint32_t> ranks{rank};
    const auto phases = static_cast<std::uint32_t>(lengths[first].size());
    for (std::uint32_t later = phases; later-- > phase;) {
      const std::vector<std::uint32_t>& to = next[direction][(first + later) % phases];
      const std::size_t before = ranks.size();
      ranks.resize(before * lengths[first][later]);
      for (std::size_t i = before; i < ranks.size(); ++i) {
        ranks[i] = to[ranks[i - before]];
      }
    }
    return ranks;
  }
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

/// Thread-safe; later calls for a torus cost little.
std::shared_ptr<const TwistedPaths> twisted_paths(const CollectiveOptions& options,
                                                  const Torus& torus) {
  static std::mutex mutex;
  static std::map<std::vector<std::uint32_t>, std::shared_ptr<const TwistedPaths>> known;
  const std::span<const std::uint32_t> sides = options.sides.sides();
  std::vector<std::uint32_t> key{sides.begin(), sides.end()};
  key.insert(key.end(), options.twist.begin(), options.twist.end());
  const std::scoped_lock lock{mutex};
  std::shared_ptr<const TwistedPaths>& paths = known[key];
  if (!paths) {
    TwistedPaths made;
    for (std::uint32_t d = 0; d < torus.dimensions(); ++d) {
      for (const std::size_t direction : {0U, 1U}) {
        made.next[direction].push_back(numbered(torus.size(), [&](std::uint32_t rank) {
          return torus.stepped(rank, d, direction == 0 ? 1 : -1);
        }));
      }
      made.lengths.push_back(path_lengths(torus, dimensions_of_port(d, torus.dimensions())));
    }
    for (std::uint32_t d = 0; d < torus.dimensions(); ++d) {
      for (const std::size_t direction : {0U, 1U}) {
        std::vector<std::uint32_t>& numbers = made.numbers[direction].emplace_back(torus.size());
        std::uint32_t number = 0;
        for (const std::uint32_t rank : made.box(0, d, direction, 0)) {
          numbers[rank] = number++;
        }
      }
    }
    paths = std::make_shared<const TwistedPaths>(std::move(made));
  }
  return paths;
}

/// Steps of one port on a twisted torus.
class TwistedPort {
 public:
  TwistedPort(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size,
              std::uint32_t port, Shares shares)
      : TwistedPort{call, rank, Torus{call, size}, port, shares} {}

  std::uint32_t phases() const { return static_cast<std::uint32_t>(lengths().size()); }
  CollectiveSteps reduce_scatter(std::uint32_t phase) const {
    return CollectiveSteps(lengths()[phase] - 1, [port = *this, phase](std::uint32_t step) {
      const std::uint32_t left = port.lengths()[phase] - 1 - step;
      return exchange_step(port.ahead(phase), port.blocks(phase, left), port.behind(phase),
                           port.blocks(phase, left - 1), OnReceipt::combine_before);
    });
  }
  CollectiveSteps allgather(std::uint32_t phase) const {
    return CollectiveSteps(lengths()[phase] - 1, [port = *this, phase](std::uint32_t step) {
      return exchange_step(port.behind(phase), port.blocks(phase, step), port.ahead(phase),
                           port.blocks(phase, step + 1));
    });
  }

 private:
  TwistedPort(const CollectiveCall& call, std::uint32_t rank, const Torus& torus,
              std::uint32_t port, Shares shares)
      : paths_{twisted_paths(call.options, torus)},
        first_{port % torus.dimensions()},
        way_{way_of_port(port, torus.dimensions()) == Around::up ? 0U : 1U},
        is_numbered_by_steps_{call.kind == CollectiveKind::allreduce},
        blocks_{blocks_of_port(call, torus, port, shares)},
        own_{rank} {}

  const std::vector<std::uint32_t>& lengths() const { return paths_->lengths[first_]; }
  std::uint32_t dimension(std::uint32_t phase) const { return (first_ + phase) % phases(); }
  const std::vector<std::uint32_t>& next(std::uint32_t phase) const {
    return paths_->next[way_][dimension(phase)];
  }
  std::uint32_t ahead(std::uint32_t phase) const { return next(phase)[own_]; }
  std::uint32_t behind(std::uint32_t phase) const {
    return paths_->next[1 - way_][dimension(phase)][own_];
  }
  /// Blocks of the ranks that are i(phase) = `steps` away, and any number of steps of later phases.
  /// Their order is that of steps, so it is the same for all ranks.
  ElementRanges blocks(std::uint32_t phase, std::uint32_t steps) const {
    std::uint32_t begin = own_;
    for (std::uint32_t i = 0; i < steps; ++i) {
      begin = next(phase)[begin];
    }
    ElementRanges ranges;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    const auto add = [&] {
      for (const ElementRange& range : blocks_.run(first, count)) {
        ranges.add(range);
      }
    };
    for (const std::uint32_t rank : paths_->box(begin, first_, way_, phase + 1)) {
      const std::uint32_t number =
          is_numbered_by_steps_ ? paths_->numbers[way_][first_][rank] : rank;
      if (number != first + count) {
        add();
        first = number;
        count = 0;
      }
      ++count;
    }
    add();
    return ranges;
  }

  std::shared_ptr<const TwistedPaths> paths_;
  std::uint32_t first_;
  std::size_t way_;
  bool is_numbered_by_steps_;
  Blocks blocks_;
  std::uint32_t own_;
};

template <class Port>
CollectivePlan plan_of_buckets(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  return plan_of_ports(call.options.ports, [&](std::uint32_t number) {
    const Port port{call, rank, size, number, Shares::equal};
    CollectiveSteps steps;
    for (std::uint32_t phase = 0; phase < port.phases(); ++phase) {
      if (call.kind != CollectiveKind::allgather) {
        steps.append(port.reduce_scatter(phase));
      }
    }
    for (std::uint32_t phase = port.phases(); phase-- > 0;) {
      if (call.kind != CollectiveKind::reduce_scatter) {
        steps.append(port.allgather(phase));
      }
    }
    return steps;
  });
}

CollectivePlan make_bucket(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  return call.options.twist.empty() ? plan_of_buckets<BucketPort>(call, rank, size)
                                    : plan_of_buckets<TwistedPort>(call, rank, size);
}

/// One phase of all ports. Receives are in the order in which messages would come if links did
/// nothing else, and each is followed by what the port sends next.
CollectiveSteps together(const std::vector<BucketPort>& ports, std::uint32_t phase,
                         std::vector<CollectiveSteps> parts) {
  struct Receipt {
    UInt128 time;
    std::size_t port;
  };
  std::vector<Receipt> receipts;
  for (std::size_t port = 0; port < ports.size(); ++port) {
    for (std::uint32_t step = 1; step <= ports[port].steps_of(phase); ++step) {
      receipts.push_back({step * ports[port].bytes_of_step(phase), port});
    }
  }
  std::ranges::stable_sort(receipts, {}, &Receipt::time);
  // Ports of receipts: all that a rank has to keep.
  std::vector<std::uint8_t> order = mapped(
      receipts, [](const Receipt& receipt) { return static_cast<std::uint8_t>(receipt.port); });
  const auto first = static_cast<std::uint32_t>(parts.size());
  const auto count = first + 2 * static_cast<std::uint32_t>(order.size());
  return CollectiveSteps(
      count, [order = std::move(order), parts = std::move(parts), first,
              awaited = std::vector<CollectiveStep>(first)](std::uint32_t index) mutable {
        const bool sends = index < first || (index - first) % 2 != 0;
        const std::size_t port = index < first ? index : order[(index - first) / 2];
        if (!sends) {
          return std::exchange(awaited[port], CollectiveStep{});
        }
        return sends_of_next(parts[port], awaited[port]);
      });
}

CollectivePlan make_balanced_bucket(const CollectiveCall& call, std::uint32_t rank,
                                    std::uint32_t size) {
  std::vector<BucketPort> ports;
  for (std::uint32_t port = 0; port < call.options.ports; ++port) {
    ports.emplace_back(call, rank, size, port, Shares::balanced);
  }
  CollectiveSteps steps;
  const auto add = [&](std::uint32_t phase, auto steps_of) {
    steps.append(together(ports, phase, mapped(ports, [&](const BucketPort& port) {
                            return (port.*steps_of)(phase);
                          })));
  };
  for (std::uint32_t phase = 0; phase < ports.front().phases(); ++phase) {
    if (call.kind != CollectiveKind::allgather) {
      add(phase, &BucketPort::reduce_scatter);
    }
  }
  for (std::uint32_t phase = ports.front().phases(); phase-- > 0;) {
    if (call.kind != CollectiveKind::reduce_scatter) {
      add(phase, &BucketPort::allgather);
    }
  }
  return plan_of_steps(std::move(steps));
}

std::optional<std::string> balanced_obstacle(const CollectiveCall& call, std::uint32_t) {
  return call.options.twist.empty() ? std::nullopt
                                    : std::optional<std::string>{"needs a torus without a twist"};
}

CollectiveAlgorithm bucket(CollectiveKind kind) {
  return {kind,
          "bucket",
          "rings in one dimension of a torus after the other",
          {.commutative = kind != CollectiveKind::allgather,
           .ports = CollectiveNeeds::Ports::two_a_dimension,
           .sides = true},
          make_bucket};
}

CollectiveAlgorithm balanced_bucket(CollectiveKind kind) {
  CollectiveAlgorithm algorithm = bucket(kind);
  algorithm.name = "bucket_balanced";
  algorithm.help = "bucket with larger parts for short sides, all of which end a side together";
  algorithm.needs.gain = CollectiveNeeds::Gain::on_unequal_sides;
  algorithm.make = make_balanced_bucket;
  algorithm.obstacle = balanced_obstacle;
  return algorithm;
}

}  // namespace

const CollectiveAlgorithm allreduce_bucket_algorithm = bucket(CollectiveKind::allreduce);
const CollectiveAlgorithm reduce_scatter_bucket_algorithm = bucket(CollectiveKind::reduce_scatter);
const CollectiveAlgorithm allgather_bucket_algorithm = bucket(CollectiveKind::allgather);

const CollectiveAlgorithm allreduce_bucket_balanced_algorithm =
    balanced_bucket(CollectiveKind::allreduce);
const CollectiveAlgorithm reduce_scatter_bucket_balanced_algorithm =
    balanced_bucket(CollectiveKind::reduce_scatter);
const CollectiveAlgorithm allgather_bucket_balanced_algorithm =
    balanced_bucket(CollectiveKind::allgather);

}  // namespace dcube
