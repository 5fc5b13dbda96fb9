#include "search_certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "app/terminal/json_text.hpp"

namespace dcube::app {
namespace {

std::string certificate_head(const SearchProblem& problem, const char* kind) {
  std::vector<std::string> flows;
  for (const Flow& flow : problem.traffic.flows()) {
    flows.push_back(fmt::format("[{},{},{}]", flow.from.index(), flow.to.index(), flow.bytes));
  }
  return fmt::format(
      "{{\n  \"certificate\": {},\n  \"version\": 1,\n  \"machine\": {},\n  \"processes\": {},\n  "
      "\"flows\": [{}],\n  \"objective\": {},\n  \"cc_compute_ps\": {},\n  \"cc_hop_ps\": {},\n",
      json_string(kind), json_machine(problem), problem.traffic.process_count(),
      fmt::join(flows, ","), json_string(to_string(problem.objective)), problem.cc_compute.count(),
      problem.cc_hop.count());
}

/// "no_wrap" or "positive": which way goes who has half of a cycle before him.
const char* tie_of(const Topology& topology) {
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    const std::uint32_t half = side / 2;
    const NodeId half_way{half * stride};
    const bool has_ties = side > 2 && side % 2 == 0;
    if (has_ties && topology.distance(NodeId{0}, NodeId{(side - 1) * stride}) == 1) {
      const NodeId next = topology.route(half_way, NodeId{0})[1];
      return next > half_way ? "positive" : "no_wrap";
    }
    stride *= side;
  }
  return "no_wrap";
}

/// What only a load depends on.
std::string routing(const SearchProblem& problem) {
  if (problem.objective != Objective::link_load) {
    return {};
  }
  return fmt::format("  \"tie\": \"{}\",\n  \"sharing\": \"{}\",\n", tie_of(problem.topology),
                     problem.sharing == LinkSharing::directed ? "directed" : "undirected");
}

std::string exhaustive_certificate(const SearchProblem& problem, const ExhaustiveProof& proof) {
  std::vector<std::string> symmetries;
  for (const Symmetry& symmetry : proof.symmetries) {
    symmetries.push_back("    " + json_map(symmetry));
  }
  std::vector<std::string> levels;
  for (const SearchLevel& level : proof.levels) {
    levels.push_back(fmt::format("    {{\"process\": {}, \"tried\": {}, \"pruned\": {}}}",
                                 level.process.index(), level.tried, level.pruned));
  }
  return certificate_head(problem, "exhaustive") + routing(problem) +
         fmt::format(
             "  \"cost\": {},\n  \"map\": {},\n  \"symmetries\": [\n{}\n  ],\n  "
             "\"levels\": [\n{}\n  ],\n  \"optima\": {},\n  \"optima_fixed\": {},\n  "
             "\"optima_fixed_constant\": {}\n}}\n",
             proof.found.cost, json_map(proof.found.map), fmt::join(symmetries, ",\n"),
             fmt::join(levels, ",\n"), proof.optima, proof.optima_fixed,
             proof.optima_fixed_constant);
}

std::string constant_certificate(const SearchProblem& problem, const ConstantDistanceProof& proof) {
  std::vector<std::string> trials;
  for (const DistanceTrial& trial : proof.trials) {
    trials.push_back(fmt::format("    {{\"distances\": [{}], \"witness\": {}}}",
                                 fmt::join(trial.distances, ","),
                                 trial.is_possible ? json_map(trial.witness) : "null"));
  }
  std::vector<std::string> optima;
  for (const auto& distances : proof.optima) {
    optima.push_back(fmt::format("[{}]", fmt::join(distances, ",")));
  }
  return certificate_head(problem, "constant-distances") +
         fmt::format("  \"least_sum\": {},\n  \"optima\": [{}],\n  \"trials\": [\n{}\n  ]\n}}\n",
                     proof.least_sum, fmt::join(optima, ","), fmt::join(trials, ",\n"));
}

}  // namespace

std::string certificate_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  return outcome.proof ? exhaustive_certificate(problem, *outcome.proof)
                       : constant_certificate(problem, outcome.constant_distances.value());
}

}  // namespace dcube::app
