#include "search_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

ordered_json network_json(const SearchProblem& problem) {
  const auto shape = problem.topology.shape();
  ordered_json json{{"kind", problem.topology.kind()},
                    {"shape", std::vector<std::uint32_t>{shape.begin(), shape.end()}},
                    {"nodes", problem.topology.terminal_count()}};
  if (problem.slots > 1) {
    json["slots"] = problem.slots;
  }
  if (const auto weights = hop_weights_of(problem.topology); !weights.empty()) {
    json["hop_weights"] = std::vector<std::uint32_t>(weights.begin(), weights.end());
  }
  if (problem.topology.usable_count() < problem.topology.terminal_count()) {
    json["usable_nodes"] = problem.topology.usable_count();
  }
  return json;
}

ordered_json traffic_json(const SearchAnswer& answer) {
  const Traffic& traffic = *answer.traffic;
  ordered_json json{{"name", answer.traffic_name},
                    {"processes", traffic.process_count()},
                    {"flows", traffic.flows().size()},
                    {"bytes", traffic.total_bytes()}};
  if (traffic.own_bytes() > 0) {
    json["own_bytes"] = traffic.own_bytes();
  }
  return json;
}

/// Missing where the bound is 0 and the cost is not.
CellValue ratio(std::uint64_t cost, std::uint64_t bound) {
  return bound > 0   ? CellValue{static_cast<double>(cost) / static_cast<double>(bound)}
         : cost == 0 ? CellValue{1.0}
                     : CellValue{};
}

ordered_json history_json(const SearchProblem& problem, std::span<const SearchStep> history) {
  const CostScale scale = scale_of(problem);
  return mapped(history, [&](const SearchStep& step) {
    return ordered_json{
        {"wall_s", step.wall_s}, {"cost", step.cost}, {"value", scale.value(step.cost)}};
  });
}

ordered_json bound_json(const CostScale& scale, const CostBound& bound) {
  return {{"cost", bound.cost}, {"value", scale.value(bound.cost)}, {"source", bound.source}};
}

ordered_json proof_json(const SearchAnswer& answer) {
  if (answer.proof) {
    const ExhaustiveProof& proof = *answer.proof;
    return {{"complete", proof.is_complete},
            {"symmetries", proof.symmetries.size()},
            {"optima", proof.optima},
            {"optima_fixed", proof.optima_fixed},
            {"optima_fixed_constant", proof.optima_fixed_constant}};
  }
  if (answer.constant_distances) {
    const ConstantDistanceProof& proof = *answer.constant_distances;
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
                    {"flows", mapped(problem.traffic.flows(), [](const Flow& flow) {
                       return ordered_json{flow.from.index(), flow.to.index(), flow.bytes};
                     })}};
  // Under the names that the checker knows, whatever a plug-in calls its kind.
  const bool wraps = wraps_around(problem.topology);
  json["machine"]["kind"] = problem.topology.structure().is_cube      ? "hypercube"
                            : problem.topology.dimension_count() == 1 ? (wraps ? "ring" : "line")
                            : wraps                                   ? "torus"
                                                                      : "mesh";
  json["objective"] = to_string(problem.objective);
  json["cc_compute_ps"] = problem.cc_compute.count();
  json["cc_hop_ps"] = problem.cc_hop.count();
  if (problem.slots > 1) {
    json["cc_local_ps"] = problem.cc_local.count();
  }
  return json;
}

ordered_json exhaustive_certificate(const SearchProblem& problem, const ExhaustiveProof& proof) {
  ordered_json json = certificate_head(problem, "exhaustive");
  if (traits_of(problem.objective).needs_routes) {
    json["tie"] = problem.topology.details().has("tie") ? "positive" : "no_wrap";
    json["sharing"] = problem.sharing == LinkSharing::directed ? "directed" : "undirected";
  }
  json["cost"] = proof.found.cost;
  json["map"] = proof.found.map;
  json["symmetries"] = proof.symmetries;
  json["levels"] = mapped(proof.levels, [](const SearchLevel& level) {
    return ordered_json{
        {"process", level.process.index()}, {"tried", level.tried}, {"pruned", level.pruned}};
  });
  json["optima"] = proof.optima;
  json["optima_fixed"] = proof.optima_fixed;
  json["optima_fixed_constant"] = proof.optima_fixed_constant;
  return json;
}

ordered_json semidefinite_certificate(const SearchProblem& problem,
                                      const SemidefiniteProof& proof) {
  ordered_json json = certificate_head(problem, "semidefinite");
  json["bound"] = proof.bound.cost;
  json["padding"] = proof.padding;
  json["scale_bits"] = proof.scale_bits;
  json["modes"] = mapped(proof.modes, [](const SemidefiniteProof::Mode& mode) {
    return ordered_json{
        {"key", mode.key}, {"columns", mode.columns}, {"level", mode.level}, {"idle", mode.idle}};
  });
  json["cuts"] = mapped(proof.cuts, [](const SemidefiniteProof::Cut& cut) {
    return ordered_json{{"distance", cut.distance},
                        {"points", cut.points},
                        {"signs", cut.signs},
                        {"multiplier", cut.multiplier}};
  });
  return json;
}

ordered_json constant_certificate(const SearchProblem& problem,
                                  const ConstantDistanceProof& proof) {
  ordered_json json = certificate_head(problem, "constant-distances");
  json["least_sum"] = proof.least_sum;
  json["optima"] = proof.optima;
  json["trials"] = mapped(proof.trials, [](const DistanceTrial& trial) {
    return ordered_json{
        {"distances", trial.distances},
        {"witness", trial.is_possible ? ordered_json(trial.witness) : ordered_json(nullptr)}};
  });
  return json;
}

}  // namespace

CostScale scale_of(const SearchProblem& problem) {
  const ObjectiveTraits& traits = traits_of(problem.objective);
  constexpr double picoseconds = 1e12;
  const double per = traits.per
                         ? static_cast<double>(std::max<std::uint64_t>(1, traits.per(problem)))
                     : traits.is_time ? picoseconds
                                      : 1;
  return {per, traits.quantity};
}

std::string number_text(const SearchProblem& problem, std::uint64_t cost) {
  const CostScale scale = scale_of(problem);
  return traits_of(problem.objective).is_time ? readable_seconds(scale.value(cost))
         : scale.per == 1                     ? grouped(cost)
                                              : fmt::format("{:.5g}", scale.value(cost));
}

std::string cost_text(const SearchProblem& problem, std::uint64_t cost) {
  const ObjectiveTraits& traits = traits_of(problem.objective);
  return traits.counted != nullptr
             ? fmt::format("{} {}", counted(cost, traits.counted), traits.place)
         : traits.is_time ? number_text(problem, cost)
                          : fmt::format("{} {}", number_text(problem, cost), traits.quantity);
}

Columns<StartValue> cost_columns(const SearchProblem& problem, const char* header,
                                 std::uint64_t bound) {
  const CostScale scale = scale_of(problem);
  // People read times with their units.
  std::string quantity = scale.quantity;
  if (traits_of(problem.objective).is_time) {
    quantity.erase(quantity.find(','));
  }
  return {{header, Shown::text, &StartValue::embedding, "embedding"},
          {quantity, Shown::figure,
           [&problem](const StartValue& row) { return number_text(problem, row.cost); }},
          {"", Shown::nowhere, &StartValue::cost, "cost"},
          {"", Shown::nowhere, [scale](const StartValue& row) { return scale.value(row.cost); },
           "value"},
          {"to bound", Shown::thousandths,
           [bound](const StartValue& row) { return ratio(row.cost, bound); }}};
}

Columns<CostPart> part_columns(const SearchAnswer& answer) {
  const auto weight = [&](const auto& part) {
    return static_cast<double>(part.term.weight) / static_cast<double>(answer.problem->scale);
  };
  const auto of = [&](const auto& part) {
    return answer.problem->with_objective(part.term.objective);
  };
  return {{"term", Shown::text, [](const auto& part) { return to_string(part.term.objective); },
           "objective"},
          {"weight", Shown::figure,
           [=](const auto& part) { return fmt::format("{:.6g}", weight(part)); }},
          {"", Shown::nowhere, weight, "weight"},
          {"", Shown::nowhere, &CostPart::cost, "cost"},
          {"of the map found", Shown::figure,
           [=](const auto& part) { return cost_text(of(part), part.cost); }},
          {"", Shown::nowhere,
           [=](const auto& part) { return scale_of(of(part)).value(part.cost); }, "value"},
          {"", Shown::nowhere, [=](const auto& part) { return scale_of(of(part)).quantity; },
           "quantity"},
          {"", Shown::nowhere, &CostPart::bound, "bound"},
          {"to bound", Shown::thousandths,
           [](const auto& part) { return ratio(part.cost, part.bound); }},
          {"of the sum", Shown::share, &CostPart::share, "share"}};
}

ordered_json search_result(const SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  const FoundMap& found = answer.found;
  const CostScale scale = scale_of(problem);
  ordered_json json{
      {"machine", answer.machine_name},
      {"network", network_json(problem)},
      {"traffic", traffic_json(answer)},
      {"objective", to_string(problem.goal())},
      {"quantity", scale.quantity},
      {"method", answer.method},
      {"reason", answer.reason.empty() ? ordered_json(nullptr) : ordered_json(answer.reason)},
      {"seed", answer.seed},
      {"effort",
       answer.effort < endless_effort ? ordered_json(answer.effort) : ordered_json(nullptr)},
      {"moves", found.moves},
      {"ended", answer.ended},
      {"wall_s", answer.wall_s},
      {"history", history_json(problem, answer.history)},
      {"starts", json_rows<ordered_json>(
                     cost_columns(problem, "embedding", answer.bounds.front().cost), found.starts)},
      {"found",
       {{"origin", found.origin}, {"cost", found.cost}, {"value", scale.value(found.cost)}}}};
  if (answer.brief) {
    json["brief"] = {{"repeats", mapped(answer.brief->repeats,
                                        [](const BriefRuns::Repeats& one) {
                                          return ordered_json{{"setting", one.setting},
                                                              {"whole", one.whole},
                                                              {"brief", one.brief}};
                                        })},
                     {"share", answer.brief->share},
                     {"checked", found.checked},
                     {"reordered", found.is_reordered}};
  }
  if (const auto& spread = answer.under_jitter) {
    json["found"]["seeds"] = spread->seeds;
    json["found"]["least"] = scale.value(static_cast<std::uint64_t>(spread->least.count()));
    json["found"]["greatest"] = scale.value(static_cast<std::uint64_t>(spread->greatest.count()));
  }
  if (!answer.parts.empty()) {
    json["found"]["parts"] = json_rows<ordered_json>(part_columns(answer), answer.parts);
  }
  json["bound"] = bound_json(scale, answer.bounds.front());
  json["bounds"] =
      mapped(answer.bounds, [&](const CostBound& bound) { return bound_json(scale, bound); });
  json["bound_history"] = history_json(problem, answer.bound_history);
  json["gap"] = answer.gap();
  json["also_least"] = mapped(answer.also_least, [](const MeasuredObjective& least) {
    const CostScale own = scale_of(least.problem);
    return ordered_json{{"objective", to_string(least.problem.objective)},
                        {"cost", least.cost},
                        {"value", own.value(least.cost)},
                        {"quantity", own.quantity},
                        {"source", least.bounds.front().source}};
  });
  json["proof"] = proof_json(answer);
  json["map"] = found.map;
  if (problem.has_pins()) {
    json["pins"] = problem.pins;
  }
  if (answer.why) {
    json["why"] = reasons_json(*answer.why, found.map);
  }
  json["dcube"] = {{"version", version()}};
  return json;
}

std::string search_json(const SearchAnswer& answer) { return json_layout(search_result(answer)); }

std::string certificate_json(const SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  return json_layout(answer.proof ? exhaustive_certificate(problem, *answer.proof)
                     : answer.constant_distances
                         ? constant_certificate(problem, *answer.constant_distances)
                         : semidefinite_certificate(problem, answer.semidefinite.value()));
}

}  // namespace dcube
