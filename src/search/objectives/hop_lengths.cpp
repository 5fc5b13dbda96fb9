#include "hop_lengths.hpp"

#include <limits>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "objective_kind.hpp"

namespace dcube {

bool weighs_hops(const SearchProblem& problem) {
  return kind_of(problem.objective).weighs_hops && !hop_weights_of(problem.topology).empty();
}

Distances distances_of(const SearchProblem& problem) {
  return weighs_hops(problem) ? Distances::weighted(problem.topology) : Distances{problem.topology};
}

std::shared_ptr<const Distances> weighted_distances(const SearchProblem& problem) {
  return weighs_hops(problem)
             ? std::make_shared<const Distances>(Distances::weighted(problem.topology))
             : nullptr;
}

std::vector<Objective> usable_models(const SearchProblem& problem) {
  std::vector<Objective> models = traits_of(problem.objective).models;
  std::erase_if(models, [&](Objective model) { return !is_usable(problem.with_objective(model)); });
  return models;
}

void check_hop_weights(const SearchProblem& problem) {
  if (!weighs_hops(problem)) {
    return;
  }
  const Topology& topology = problem.topology;
  const HopLengths lengths{topology};
  const UInt128 longest = UInt128{lengths.greatest_weight()} * topology.node_count();
  refuse_if(longest > std::numeric_limits<std::uint32_t>::max() ||
                longest * problem.traffic.total_bytes() > greatest_cost,
            "",
            "bytes times weights of hops may pass 2^63-1; use smaller weights, or a larger unit");
  if (lengths.are_symmetric()) {
    return;
  }
  constexpr std::uint32_t most_nodes = 4096;
  refuse_if(topology.usable_count() > most_nodes, "",
            "whether routes of the {} weigh the same there and back is not looked at beyond {} "
            "nodes; use the usual routing and no failures, or one weight for all classes",
            describe(topology), most_nodes);
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = from + 1; to < topology.node_count(); ++to) {
      const NodeId a{from};
      const NodeId b{to};
      const bool are_used =
          topology.is_usable(a) && topology.is_usable(b) && topology.reaches(a, b);
      refuse_if(
          are_used && lengths(a, b) != lengths(b, a), "",
          "the links from node {} to node {} weigh {} and those back {}; a search needs routes "
          "of one weight there and back",
          from, to, are_used ? lengths(a, b) : 0, are_used ? lengths(b, a) : 0);
    }
  }
}

}  // namespace dcube
