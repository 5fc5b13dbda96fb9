#include <algorithm>
#include <bit>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "objective_kind.hpp"
#include "search/bounds/bounds.hpp"
#include "search/proofs/partial_bound.hpp"

namespace dcube {
namespace {

/// The recurrence of [X IV.A], computed in full for every map: one move can delay every process.
class CcCost final : public MapCost {
 public:
  CcCost(const SearchProblem& problem, const Distances& distances)
      : MapCost{problem.traffic.process_count()},
        distances_{distances},
        compute_{static_cast<std::uint64_t>(problem.cc_compute.count())},
        hop_{static_cast<std::uint64_t>(problem.cc_hop.count())},
        local_{static_cast<std::uint64_t>(problem.cc_local.count())},
        finish_(problem.traffic.process_count()) {}

 private:
  void compute() override {
    std::ranges::fill(finish_, 0);
    const std::size_t processes = finish_.size();
    for (std::size_t bit = 1; bit < processes; bit *= 2) {
      for (std::size_t base = 0; base < processes; base += 2 * bit) {
        for (std::size_t lower = base; lower < base + bit; ++lower) {
          const std::size_t higher = lower + bit;
          const std::uint64_t hops = distances_(node_of(static_cast<std::uint32_t>(lower)),
                                                node_of(static_cast<std::uint32_t>(higher)));
          finish_[lower] = finish_[higher] = std::max(finish_[lower], finish_[higher]) + compute_ +
                                             (hops == 0 ? local_ : hops * hop_);
        }
      }
    }
    cost_ = std::ranges::max(finish_);
    const double sum =
        sum_of(finish_, [](std::uint64_t finish) { return static_cast<double>(finish); });
    energy_ = static_cast<double>(cost_) + sum / static_cast<double>(processes);
  }

  void update() override { compute(); }
  void undo() override {}

  const Distances& distances_;
  std::uint64_t compute_;
  std::uint64_t hop_;
  std::uint64_t local_;
  std::vector<std::uint64_t> finish_;
};

/// No stage takes longer.
UInt128 longest_stage(const SearchProblem& problem) {
  return static_cast<UInt128>(problem.cc_compute.count()) +
         std::max(static_cast<UInt128>(problem.cc_hop.count()) * problem.topology.node_count(),
                  static_cast<UInt128>(problem.cc_local.count()));
}

void check_cc(const SearchProblem& problem) {
  const std::uint32_t processes = problem.traffic.process_count();
  // Flows of no bytes are exchanges too.
  const auto weights = Partners{problem.traffic, FlowWeight::one}.cube_weights();
  refuse_if(!cube_weights(problem.traffic) || !weights || std::ranges::count(*weights, 0U) > 0, "",
            "cc-time is the time of a cube's exchanges along all dimensions, and the traffic is no "
            "such cube's");
  const auto stages = static_cast<std::uint32_t>(std::countr_zero(processes));
  refuse_if(longest_stage(problem) * stages > greatest_cost, "",
            "the time may pass 63 bits of picoseconds; use shorter stages and hops");
}

/// An exchange starts when both partners are ready, so a process takes all its stages and all its
/// distances one after the other. Some process has at least the mean of these sums [X IV.A].
std::vector<CostBound> cc_bounds(const SearchProblem& problem) {
  const std::uint32_t processes = problem.traffic.process_count();
  const Traffic cube =
      Traffic::of(Guest::cube(static_cast<std::uint32_t>(std::countr_zero(processes))));
  const Partners pairs{cube, FlowWeight::one};  // a pair weighs 2: one at each end
  const CostBound hops = greatest(sum_bounds(problem, pairs));
  const auto stages = static_cast<std::uint64_t>(std::countr_zero(processes));
  const std::uint64_t computing = stages * static_cast<std::uint64_t>(problem.cc_compute.count());
  const auto hop = static_cast<std::uint64_t>(problem.cc_hop.count());
  std::vector<CostBound> bounds{{computing + divided_up(hops.cost, processes) * hop,
                                 "stages, and the mean distances of a process; " + hops.source}};
  if (problem.slots > 1) {
    const auto local = static_cast<std::uint64_t>(problem.cc_local.count());
    bounds.push_back({computing + stages * std::min(hop, local),
                      "stages, each with a message inside a node or over a link"});
  }
  return bounds;
}

std::uint64_t least_cc_time(const PartialBound& placed, std::uint64_t limit) {
  const SearchProblem& problem = placed.problem();
  if (placed.is_complete()) {
    return cost_of(problem, placed.map());
  }
  const std::uint64_t stages = placed.partners_of(0).size();
  const auto time = [&](std::uint64_t hops) {
    return stages * static_cast<std::uint64_t>(problem.cc_compute.count()) +
           hops * static_cast<std::uint64_t>(problem.cc_hop.count());
  };
  std::uint64_t longest = 0;
  for (std::uint32_t process = 0; process < placed.process_count(); ++process) {
    std::uint64_t hops = PartialBound::unbounded;
    const auto take = [&](NodeId node) {
      hops = std::min(hops, placed.to_placed(process, node) + placed.nearest(process, node));
    };
    if (placed.is_placed(process)) {
      take(placed.map()[process]);
    } else {
      placed.for_each_free(take);
    }
    longest = std::max(longest, hops);
    if (time(longest) > limit) {
      break;
    }
  }
  return time(longest);
}

}  // namespace

/// The picoseconds of the CC d-cube recurrence [X IV.A].
const ObjectiveKind cc_time_objective{
    .traits = {.name = "cc-time",
               .quantity = "CC time, s",
               .is_time = true,
               .flow_weight = FlowWeight::one,
               .needs_cube = true},
    .most_cost =
        [](const SearchProblem& problem) {
          return longest_stage(problem) *
                 static_cast<std::uint32_t>(std::bit_width(problem.traffic.process_count()));
        },
    .check = check_cc,
    .cost =
        [](const SearchProblem& problem, std::span<const NodeId> map) {
          return static_cast<std::uint64_t>(predict_cc(problem.topology, map, problem.cc_compute,
                                                       problem.cc_hop, problem.cc_local)
                                                .makespan.count());
        },
    .map_cost = [](const SearchProblem& problem, const Distances& distances)
        -> std::unique_ptr<MapCost> { return std::make_unique<CcCost>(problem, distances); },
    .bounds = cc_bounds,
    .least_cost = least_cc_time,
    .has_equal_partners = true};

}  // namespace dcube
