#include "app/terminal/json_values.hpp"
#include "core/json_writing.hpp"
#include "search_report.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

ordered_json map_json(const std::vector<NodeId>& map) {
  ordered_json nodes = ordered_json::array();
  for (const NodeId node : map) {
    nodes.push_back(node.index());
  }
  return nodes;
}

ordered_json network_json(const SearchProblem& problem) {
  const auto shape = problem.topology.shape();
  return {{"kind", problem.topology.kind()},
          {"shape", std::vector<std::uint32_t>{shape.begin(), shape.end()}},
          {"nodes", problem.topology.node_count()}};
}

ordered_json bound_json(const SearchProblem& problem, const CostBound& bound) {
  return {{"cost", bound.cost}, {"value", value_of(problem, bound.cost)}, {"source", bound.source}};
}

ordered_json proof_json(const SearchOutcome& outcome) {
  if (outcome.proof) {
    const ExhaustiveProof& proof = *outcome.proof;
    return {{"complete", proof.is_complete},
            {"symmetries", proof.symmetries.size()},
            {"optima", proof.optima},
            {"optima_fixed", proof.optima_fixed},
            {"optima_fixed_constant", proof.optima_fixed_constant}};
  }
  if (outcome.constant_distances) {
    const ConstantDistanceProof& proof = *outcome.constant_distances;
    return {
        {"complete", proof.is_complete}, {"least_sum", proof.least_sum}, {"optima", proof.optima}};
  }
  return nullptr;
}

// --- Certificates ---

ordered_json certificate_head(const SearchProblem& problem, const char* kind) {
  ordered_json json{{"certificate", kind},
                    {"version", 1},
                    {"machine", network_json(problem)},
                    {"processes", problem.traffic.process_count()},
                    {"flows", ordered_json::array()}};
  for (const Flow& flow : problem.traffic.flows()) {
    json["flows"].push_back({flow.from.index(), flow.to.index(), flow.bytes});
  }
  json["objective"] = to_string(problem.objective);
  json["cc_compute_ps"] = problem.cc_compute.count();
  json["cc_hop_ps"] = problem.cc_hop.count();
  return json;
}

/// Which way a message takes half way round a cycle: "no_wrap" or "positive".
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

ordered_json exhaustive_certificate(const SearchProblem& problem, const ExhaustiveProof& proof) {
  ordered_json json = certificate_head(problem, "exhaustive");
  if (problem.objective == Objective::link_load) {  // which alone depends on the routes
    json["tie"] = tie_of(problem.topology);
    json["sharing"] = problem.sharing == LinkSharing::directed ? "directed" : "undirected";
  }
  json["cost"] = proof.found.cost;
  json["map"] = map_json(proof.found.map);
  json["symmetries"] = ordered_json::array();
  for (const Symmetry& symmetry : proof.symmetries) {
    json["symmetries"].push_back(map_json(symmetry));
  }
  json["levels"] = ordered_json::array();
  for (const SearchLevel& level : proof.levels) {
    json["levels"].push_back(
        {{"process", level.process.index()}, {"tried", level.tried}, {"pruned", level.pruned}});
  }
  json["optima"] = proof.optima;
  json["optima_fixed"] = proof.optima_fixed;
  json["optima_fixed_constant"] = proof.optima_fixed_constant;
  return json;
}

ordered_json constant_certificate(const SearchProblem& problem,
                                  const ConstantDistanceProof& proof) {
  ordered_json json = certificate_head(problem, "constant-distances");
  json["least_sum"] = proof.least_sum;
  json["optima"] = proof.optima;
  json["trials"] = ordered_json::array();
  for (const DistanceTrial& trial : proof.trials) {
    json["trials"].push_back(
        {{"distances", trial.distances},
         {"witness", trial.is_possible ? map_json(trial.witness) : ordered_json(nullptr)}});
  }
  return json;
}

}  // namespace

std::string search_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  const FoundMap& found = outcome.found;
  ordered_json starts = ordered_json::array();
  for (const StartValue& start : found.starts) {
    starts.push_back({{"embedding", start.embedding},
                      {"cost", start.cost},
                      {"value", value_of(problem, start.cost)}});
  }
  ordered_json bounds = ordered_json::array();
  for (const CostBound& bound : outcome.bounds) {
    bounds.push_back(bound_json(problem, bound));
  }
  return json_layout(
      {{"machine", outcome.machine},
       {"network", network_json(problem)},
       {"traffic",
        {{"name", outcome.traffic},
         {"processes", problem.traffic.process_count()},
         {"flows", problem.traffic.flows().size()},
         {"bytes", problem.traffic.total_bytes()}}},
       {"objective", to_string(problem.objective)},
       {"quantity", quantity_of(problem)},
       {"method", outcome.method},
       {"reason", json_or_null(outcome.reason)},
       {"seed", outcome.seed},
       {"effort", outcome.effort},
       {"moves", found.moves},
       {"ended", outcome.ended},
       {"wall_s", outcome.wall_s},
       {"starts", std::move(starts)},
       {"found",
        {{"origin", found.origin}, {"cost", found.cost}, {"value", value_of(problem, found.cost)}}},
       {"bound", bound_json(problem, outcome.bounds.front())},
       {"bounds", std::move(bounds)},
       {"gap", json_or_null(gap_of(outcome))},
       {"proof", proof_json(outcome)},
       {"map", map_json(found.map)},
       {"dcube", json_of_dcube()}});
}

std::string certificate_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  return json_layout(outcome.proof
                         ? exhaustive_certificate(problem, *outcome.proof)
                         : constant_certificate(problem, outcome.constant_distances.value()));
}

}  // namespace dcube::app
