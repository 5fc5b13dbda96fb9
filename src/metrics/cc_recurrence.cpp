#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/metrics/embedding_metrics.hpp"

namespace dcube {
namespace {

struct Transfers {
  Ticks to_lower;
  Ticks to_higher;
};

/// Clocks of the processes, advanced stage by stage.
class Recurrence {
 public:
  explicit Recurrence(std::span<const NodeId> map)
      : map_{map}, finish_(map.size()), has_waited_(map.size()) {
    expects(std::has_single_bit(map.size()), "a cube has 2^d processes");
  }

  std::uint32_t dimension_count() const {
    return static_cast<std::uint32_t>(std::countr_zero(map_.size()));
  }

  /// `compute(process)` and `transfers(lower node, higher node)`: costs of this stage.
  template <class Compute, class Transfer>
  void play_stage(std::uint32_t dimension, Compute compute, Transfer transfers) {
    expects(dimension < dimension_count(), "a stage exchanges along a dimension of the cube");
    const std::size_t bit = std::size_t{1} << dimension;
    for (std::size_t base = 0; base < map_.size(); base += 2 * bit) {
      for (std::size_t lower = base; lower < base + bit; ++lower) {
        exchange(lower, lower + bit, compute, transfers);
      }
    }
  }

  CcPrediction prediction() && {
    CcPrediction prediction;
    prediction.makespan = *std::ranges::max_element(finish_);
    prediction.waiting_total_s =
        static_cast<double>(waiting_) / static_cast<double>(Ticks::period::den);
    prediction.waiting_processes =
        static_cast<std::uint32_t>(std::ranges::count(has_waited_, true));
    prediction.finish = std::move(finish_);
    return prediction;
  }

 private:
  template <class Compute, class Transfer>
  void exchange(std::size_t lower, std::size_t higher, Compute& compute, Transfer& transfers) {
    Ticks* const finish = finish_.data();
    const Ticks lower_ready = checked_add(finish[lower], compute(lower));
    const Ticks higher_ready = checked_add(finish[higher], compute(higher));
    const Ticks start = std::max(lower_ready, higher_ready);
    wait(lower, start - lower_ready);
    wait(higher, start - higher_ready);
    const Transfers cost = transfers(map_.data()[lower], map_.data()[higher]);
    finish[lower] = checked_add(start, cost.to_lower);
    finish[higher] = checked_add(start, cost.to_higher);
  }

  void wait(std::size_t process, Ticks duration) {
    if (duration > Ticks{0}) {
      waiting_ += duration.count();
      has_waited_[process] = true;
    }
  }

  std::span<const NodeId> map_;
  std::vector<Ticks> finish_;  ///< after the stages so far
  std::vector<bool> has_waited_;
  Int128 waiting_ = 0;  ///< over all processes: may pass 63 bits when no clock does
};

/// Throws as checked_add() past 63 bits.
Ticks checked_product(std::uint32_t hops, Ticks per_hop) {
  const Int128 product = Int128{hops} * per_hop.count();
  if (product > std::numeric_limits<std::int64_t>::max()) {
    return checked_add(Ticks::max(), Ticks{1});
  }
  return Ticks{static_cast<std::int64_t>(product)};
}

}  // namespace

CcPrediction predict_cc(std::span<const NodeId> map, const CcCosts& costs) {
  Recurrence recurrence{map};
  const auto message = [&](NodeId from, NodeId to) {
    return checked_add(checked_add(costs.send, costs.transfer(from, to)), costs.receive);
  };
  for (std::uint32_t stage = 0; stage < costs.order.size(); ++stage) {
    recurrence.play_stage(
        costs.order[stage],
        [&](std::size_t process) {
          return costs.compute(ProcessId{static_cast<std::uint32_t>(process)}, stage);
        },
        [&](NodeId lower, NodeId higher) {
          return Transfers{.to_lower = message(higher, lower), .to_higher = message(lower, higher)};
        });
  }
  return std::move(recurrence).prediction();
}

CcPrediction predict_cc(const Topology& topology, std::span<const NodeId> map, Ticks compute,
                        Ticks message_hop, Ticks local_message) {
  Recurrence recurrence{map};
  const auto transfer = [&](NodeId from, NodeId to) {
    return from == to ? local_message : checked_product(topology.distance(from, to), message_hop);
  };
  // Routes of a table may differ in length there and back.
  const bool is_alike_back = topology.routing() != "table";
  for (std::uint32_t dimension = 0; dimension < recurrence.dimension_count(); ++dimension) {
    recurrence.play_stage(
        dimension, [&](std::size_t) { return compute; },
        [&](NodeId lower, NodeId higher) {
          const Ticks to_higher = transfer(lower, higher);
          return Transfers{.to_lower = is_alike_back ? to_higher : transfer(higher, lower),
                           .to_higher = to_higher};
        });
  }
  return std::move(recurrence).prediction();
}

}  // namespace dcube
