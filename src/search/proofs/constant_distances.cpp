#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "core/refuse.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "search/objectives/distances.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "symmetries.hpp"

// An embedding with constant distances [X II.C] takes all neighbours along cube dimension i to
// nodes D_i hops apart. The order of the dimensions does not change the sum of the D_i, so only
// ascending combinations are tried. A combination that the subcube of the first k dimensions cannot
// have excludes all combinations that begin with it.

namespace dcube {
namespace {

constexpr std::uint64_t poll_interval = 4096;

class ConstantDistances {
 public:
  ConstantDistances(const SearchProblem& problem, const ExhaustiveSettings& settings,
                    const SearchControl& control, std::uint32_t greatest_sum)
      : settings_{settings},
        control_{control},
        distances_{problem.topology},
        symmetries_{symmetries_of(problem.topology)},
        greatest_sum_{greatest_sum},
        is_taken_(problem.topology.node_count()) {
    const std::uint32_t nodes = problem.topology.node_count();
    proof_.dimensions = static_cast<std::uint32_t>(std::countr_zero(nodes));
    proof_.least_sum = greatest_sum + 1;
    for (std::uint32_t from = 0; from < nodes; ++from) {
      std::vector<std::vector<NodeId>> spheres(1);
      for (std::uint32_t to = 0; to < nodes; ++to) {
        const std::uint32_t distance = distances_(NodeId{from}, NodeId{to});
        spheres.resize(std::max<std::size_t>(spheres.size(), distance + 1));
        spheres[distance].emplace_back(to);
      }
      spheres_.push_back(std::move(spheres));
    }
  }

  ConstantDistanceProof run() {
    extend({});
    proof_.is_complete = !is_over_;
    proof_.found.moves = tried_;
    return std::move(proof_);
  }

 private:
  void extend(const std::vector<std::uint32_t>& prefix) {
    const auto left = static_cast<std::uint32_t>(proof_.dimensions - prefix.size());
    if (left == 0) {
      complete(prefix);
      return;
    }
    const std::uint32_t sum = std::accumulate(prefix.begin(), prefix.end(), 0U);
    const auto farthest = static_cast<std::uint32_t>(spheres_.front().size() - 1);
    for (std::uint32_t next = prefix.empty() ? 1 : prefix.back();
         next <= farthest && sum + next * left <= greatest_sum_ && !is_over_; ++next) {
      std::vector<std::uint32_t> longer = prefix;
      longer.push_back(next);
      if (is_possible(longer)) {
        extend(longer);
      }
    }
  }

  void complete(const std::vector<std::uint32_t>& distances) {
    const std::uint32_t sum = std::accumulate(distances.begin(), distances.end(), 0U);
    if (sum > proof_.least_sum) {
      return;
    }
    if (sum < proof_.least_sum) {
      proof_.optima.clear();
      proof_.least_sum = sum;
      proof_.found.map = proof_.trials.empty() ? map_ : proof_.trials.back().witness;
      proof_.found.origin = "constant distances";
    }
    proof_.optima.push_back(distances);
  }

  bool is_possible(const std::vector<std::uint32_t>& distances) {
    const std::uint32_t processes = std::uint32_t{1} << distances.size();
    map_.assign(processes, NodeId{0});
    is_taken_.assign(is_taken_.size(), false);
    is_taken_[0] = true;
    stabilizers_.emplace(symmetries_);
    stabilizers_->fix(NodeId{0});
    const bool is_possible = place(1, distances);
    if (!is_over_) {
      proof_.trials.push_back({distances, is_possible, is_possible ? map_ : std::vector<NodeId>{}});
    }
    return is_possible && !is_over_;
  }

  bool place(std::uint32_t process, const std::vector<std::uint32_t>& distances) {
    if (process == map_.size()) {
      return true;
    }
    const auto lowest = static_cast<std::size_t>(std::countr_zero(process));
    const NodeId beside = map_[process & (process - 1)];
    for (const NodeId node : spheres_[beside.index()][distances[lowest]]) {
      if (has_to_stop()) {
        return false;
      }
      if (is_taken_[node.index()] || !fits(process, node, distances) ||
          !stabilizers_->is_first_of_its_kind(node)) {
        continue;
      }
      ++tried_;
      map_[process] = node;
      is_taken_[node.index()] = true;
      stabilizers_->fix(node);
      if (place(process + 1, distances)) {
        return true;
      }
      stabilizers_->unfix();
      is_taken_[node.index()] = false;
    }
    return false;
  }

  bool fits(std::uint32_t process, NodeId node, const std::vector<std::uint32_t>& distances) const {
    for (std::uint32_t bits = process & (process - 1); bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      if (distances_(map_[process ^ (std::uint32_t{1} << bit)], node) != distances[bit]) {
        return false;
      }
    }
    return true;
  }

  bool has_to_stop() {
    if (tried_ % poll_interval == 0 &&
        control_.stops_at({tried_, settings_.effort, proof_.least_sum})) {
      is_over_ = proof_.found.is_cut_short = true;
    }
    is_over_ = is_over_ || tried_ >= settings_.effort;
    return is_over_;
  }

  const ExhaustiveSettings& settings_;
  const SearchControl& control_;
  Distances distances_;
  std::vector<Symmetry> symmetries_;
  std::uint32_t greatest_sum_;
  std::vector<bool> is_taken_;
  std::vector<std::vector<std::vector<NodeId>>> spheres_;  ///< by node and distance
  std::vector<NodeId> map_;
  std::optional<Stabilizers> stabilizers_;
  ConstantDistanceProof proof_;
  std::uint64_t tried_ = 0;
  bool is_over_ = false;
};

}  // namespace

ConstantDistanceProof enumerate_constant_distances(const SearchProblem& problem,
                                                   const ExhaustiveSettings& settings,
                                                   const SearchControl& control) {
  check_problem(problem);
  refuse_if(traits_of(problem.objective).is_simulated, "",
            "no enumeration simulates; it proves the other objectives");
  refuse_if(weighs_hops(problem), "",
            "constant distances are numbers of hops, and links of this machine have weights");
  refuse_if(problem.slots > 1, "",
            "constant distances are those of one process on a node, and a node has {} slots",
            problem.slots);
  refuse_if(problem.has_pins(), "",
            "constant distances leave no process a node of its own; leave out the pins");
  const std::uint32_t nodes = problem.topology.node_count();
  constexpr std::uint32_t most_nodes = 1024;
  refuse_if(problem.traffic.process_count() != nodes || !cube_weights(problem.traffic) ||
                !wraps_around(problem.topology) || !closed_form(problem.topology, "xor"),
            "",
            "constant distances are those of a cube that fills a ring, torus or hypercube of "
            "power-of-two sides, not the {} with {} processes",
            describe(problem.topology), problem.traffic.process_count());
  refuse_if(nodes > most_nodes, "", "more than {} nodes, too many to enumerate", most_nodes);
  const std::vector<std::uint32_t> distances = closed_form(problem.topology, "xor")->distances;
  const std::uint32_t sum_of_xor = std::accumulate(distances.begin(), distances.end(), 0U);
  ConstantDistanceProof proof = ConstantDistances{problem, settings, control, sum_of_xor}.run();
  if (!proof.found.map.empty()) {
    proof.found.cost = cost_of(problem, proof.found.map);
  } else {
    FoundMap start = best_start(problem);
    proof.found.map = std::move(start.map);
    proof.found.cost = start.cost;
    proof.found.origin = std::move(start.origin);
  }
  return proof;
}

}  // namespace dcube
