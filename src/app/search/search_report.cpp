#include "search_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/json_values.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"

namespace dcube::app {
namespace {

/// How a cost is shown: divided by `per`, a number of flows, bytes or picoseconds in a second.
struct Scale {
  double per = 1;
  const char* quantity = "";

  double value(std::uint64_t cost) const { return static_cast<double>(cost) / per; }
  std::string text(std::uint64_t cost) const {
    return per == 1 ? grouped(cost) : fmt::format("{:.5g}", value(cost));
  }
};

Scale scale_of(const SearchProblem& problem) {
  const auto at_least_one = [](std::uint64_t count) {
    return static_cast<double>(std::max<std::uint64_t>(count, 1));
  };
  switch (problem.objective) {
    case Objective::average_dilation:
      return {at_least_one(problem.traffic.flows().size()), "hops a flow"};
    case Objective::longest_dilation:
      return {1, "longest hops"};
    case Objective::link_load:
      return {1, "bytes on the busiest link"};
    case Objective::hop_bytes:
      return {at_least_one(problem.traffic.total_bytes()), "hops a byte"};
    case Objective::cc_time:
      return {1e12, "CC time, s"};
    case Objective::makespan:
      return {1e12, "makespan, s"};
    case Objective::link_time:
      return {1e12, "slowest link, s"};
    case Objective::weighted_sum:
      return {static_cast<double>(problem.scale), "weighted sum"};
  }
  return {};
}

/// The cost of a term of a weighted sum, its bound, and its share of the whole.
struct PartValue {
  SearchProblem problem;
  std::uint64_t weight;
  std::uint64_t cost;
  std::uint64_t bound;
  double share;
};

std::vector<PartValue> parts_of(const SearchProblem& problem, std::span<const NodeId> map) {
  const auto whole = static_cast<double>(std::max<std::uint64_t>(1, cost_of(problem, map)));
  return mapped(problem.terms, [&](const ObjectiveTerm& term) {
    PartValue part{problem.with_objective(term.objective), term.weight, 0, 0, 0};
    part.cost = cost_of(part.problem, map);
    std::vector<CostBound> bounds = cost_bounds(part.problem);
    complain_once(take_refuted(bounds, part.cost));
    part.bound = bounds.front().cost;
    part.share = static_cast<double>(term.weight * part.cost) / whole;
    return part;
  });
}

std::string proof_words(const SearchOutcome& outcome) {
  if (outcome.proof && outcome.proof->is_complete) {
    const ExhaustiveProof& proof = *outcome.proof;
    std::string text = fmt::format(
        "every map enumerated, up to {} of the machine: nothing is better\n  {} of that cost, {} "
        "with process 0 on node 0",
        proof.symmetries.size() == 1
            ? std::string{"no symmetry"}
            : fmt::format("{} symmetries", grouped(proof.symmetries.size())),
        counted(proof.optima, "map"), grouped(proof.optima_fixed));
    if (proof.optima_fixed_constant > 0) {
      text += fmt::format(" ({} of them with constant distances)",
                          grouped(proof.optima_fixed_constant));
    }
    return text + "\n";
  }
  if (outcome.constant_distances && outcome.constant_distances->is_complete) {
    const ConstantDistanceProof& proof = *outcome.constant_distances;
    return fmt::format(
        "every combination of constant distances tried: none has a sum below {}\n  reached by {}\n",
        proof.least_sum,
        joined(proof.optima, "; ", [](const auto& distances) { return joined(distances, " "); }));
  }
  return {};
}

// --- JSON ---

using nlohmann::ordered_json;

ordered_json network_json(const SearchProblem& problem) {
  const auto shape = problem.topology.shape();
  ordered_json json{{"kind", problem.topology.kind()},
                    {"shape", std::vector<std::uint32_t>{shape.begin(), shape.end()}},
                    {"nodes", problem.topology.node_count()}};
  if (problem.slots > 1) {
    json["slots"] = problem.slots;
  }
  if (problem.has_unusable_nodes()) {
    json["usable_nodes"] = problem.topology.usable_count();
  }
  return json;
}

ordered_json traffic_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  ordered_json json{{"name", outcome.traffic},
                    {"processes", problem.traffic.process_count()},
                    {"flows", problem.traffic.flows().size()},
                    {"bytes", problem.traffic.total_bytes()}};
  if (problem.traffic.own_bytes() > 0) {
    json["own_bytes"] = problem.traffic.own_bytes();
  }
  return json;
}

ordered_json parts_json(const SearchProblem& problem, std::span<const NodeId> map) {
  return mapped(parts_of(problem, map), [&](const PartValue& part) {
    return ordered_json{
        {"objective", to_string(part.problem.objective)},
        {"weight", static_cast<double>(part.weight) / static_cast<double>(problem.scale)},
        {"cost", part.cost},
        {"value", value_of(part.problem, part.cost)},
        {"quantity", quantity_of(part.problem)},
        {"bound", part.bound},
        {"share", part.share}};
  });
}

ordered_json history_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  return mapped(outcome.history, [&](const SearchStep& step) {
    return ordered_json{
        {"wall_s", step.wall_s}, {"cost", step.cost}, {"value", value_of(problem, step.cost)}};
  });
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
                    {"flows", mapped(problem.traffic.flows(), [](const Flow& flow) {
                       return ordered_json{flow.from.index(), flow.to.index(), flow.bytes};
                     })}};
  json["objective"] = to_string(problem.objective);
  json["cc_compute_ps"] = problem.cc_compute.count();
  json["cc_hop_ps"] = problem.cc_hop.count();
  if (problem.slots > 1) {
    json["cc_local_ps"] = problem.cc_local.count();
  }
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

std::string ratio_text(std::uint64_t cost, std::uint64_t bound) {
  if (bound == 0) {
    return cost == 0 ? "1.000" : "-";
  }
  return fmt::format("{:.3f}", static_cast<double>(cost) / static_cast<double>(bound));
}

std::string parts_table(const SearchProblem& problem, std::span<const NodeId> map) {
  Table table{{{"term", Table::Align::left},
               {"weight"},
               {"of the map found"},
               {"to bound"},
               {"of the sum"}}};
  for (const PartValue& part : parts_of(problem, map)) {
    table.add_row({std::string{to_string(part.problem.objective)},
                   fmt::format("{:.6g}", static_cast<double>(part.weight) /
                                             static_cast<double>(problem.scale)),
                   cost_text(part.problem, part.cost), ratio_text(part.cost, part.bound),
                   percent(part.share)});
  }
  return table.text(2);
}

std::string subject_words(const SearchProblem& problem) {
  std::string text;
  const auto pinned =
      std::ranges::count_if(problem.pins, [](const auto& pin) { return pin.has_value(); });
  if (pinned > 0) {
    text += fmt::format("  {} pinned\n", counted(static_cast<std::uint64_t>(pinned), "process"));
  }
  if (problem.traffic.own_bytes() > 0) {
    text += fmt::format("  {} more from processes to themselves, which cross no link\n",
                        counted(problem.traffic.own_bytes(), "byte"));
  }
  return text;
}

std::string gap_words(const SearchOutcome& outcome) {
  const std::optional<double> gap = gap_of(outcome);
  return !gap ? "unknown" : *gap <= 0 ? "none, an optimum" : percent(*gap);
}

std::string found_words(const SearchOutcome& outcome) {
  const std::string tried =
      outcome.found.moves > 0
          ? fmt::format("{} tried, seed {}, ", counted(outcome.found.moves, "map"), outcome.seed)
          : "";
  return fmt::format("{} ({}{}; {})", outcome.found.origin, tried, readable_seconds(outcome.wall_s),
                     outcome.ended);
}

std::string number_text(const SearchProblem& problem, std::uint64_t cost) {
  return scale_of(problem).text(cost);
}

std::string cost_text(const SearchProblem& problem, std::uint64_t cost) {
  if (problem.objective == Objective::longest_dilation) {
    return fmt::format("{} of the longest flow", counted(cost, "hop"));
  }
  if (problem.objective == Objective::link_load) {
    return fmt::format("{} on the busiest link", counted(cost, "byte"));
  }
  const Scale scale = scale_of(problem);
  const bool is_time = problem.objective == Objective::cc_time ||
                       problem.objective == Objective::link_time ||
                       problem.objective == Objective::makespan;
  return fmt::format("{} {}", scale.text(cost), is_time ? "s" : scale.quantity);
}

std::string objective_text(const SearchProblem& problem) {
  return to_string(Goal{problem.objective, problem.terms, problem.scale});
}

double value_of(const SearchProblem& problem, std::uint64_t cost) {
  return scale_of(problem).value(cost);
}

std::string quantity_of(const SearchProblem& problem) { return scale_of(problem).quantity; }

std::optional<double> gap_of(const SearchOutcome& outcome) {
  const std::uint64_t bound = outcome.bounds.front().cost;
  if (bound == 0) {
    return outcome.found.cost == 0 ? std::optional{0.0} : std::nullopt;
  }
  return static_cast<double>(outcome.found.cost) / static_cast<double>(bound) - 1;
}

std::string search_summary(const SearchProblem& problem, const SearchOutcome& outcome) {
  const Scale scale = scale_of(problem);
  const CostBound& bound = outcome.bounds.front();
  std::string text =
      fmt::format("{} of {}: {}, {}, on {}\n", objective_text(problem), printable(outcome.traffic),
                  counted(problem.traffic.process_count(), "process"),
                  counted(problem.traffic.flows().size(), "flow"), printable(outcome.machine));
  if (problem.has_unusable_nodes()) {
    text += fmt::format("  {} of {} may host processes\n", grouped(problem.topology.usable_count()),
                        counted(problem.topology.node_count(), "node"));
  }
  text += subject_words(problem) + "\n";
  Table table{{{"embedding", Table::Align::left}, {scale.quantity}, {"to bound"}}};
  for (const StartValue& start : outcome.found.starts) {
    table.add_row({start.embedding, scale.text(start.cost), ratio_text(start.cost, bound.cost)});
  }
  table.add_row(
      {"found", scale.text(outcome.found.cost), ratio_text(outcome.found.cost, bound.cost)});
  table.add_row({"bound", scale.text(bound.cost), ratio_text(bound.cost, bound.cost)});
  text += table.text(2);
  if (!problem.terms.empty()) {
    text += "\n" + parts_table(problem, outcome.found.map);
  }
  text += fmt::format("\nbound: {}\n", bound.source);
  text += fmt::format("gap:   {}\nfound: {}", gap_words(outcome), found_words(outcome));
  text += fmt::format("\nmethod: {}{}\n", outcome.method,
                      outcome.reason.empty() ? "" : fmt::format(" ({})", outcome.reason));
  const std::string proof = proof_words(outcome);
  text += proof.empty() ? "" : "proof: " + proof;
  return outcome.why.empty() ? text : text + "\n" + outcome.why;
}

ordered_json search_result(const SearchProblem& problem, const SearchOutcome& outcome) {
  const FoundMap& found = outcome.found;
  const ordered_json starts = mapped(found.starts, [&](const StartValue& start) {
    return ordered_json{{"embedding", start.embedding},
                        {"cost", start.cost},
                        {"value", value_of(problem, start.cost)}};
  });
  const ordered_json bounds =
      mapped(outcome.bounds, [&](const CostBound& bound) { return bound_json(problem, bound); });
  ordered_json json{
      {"machine", outcome.machine},
      {"network", network_json(problem)},
      {"traffic", traffic_json(problem, outcome)},
      {"objective", objective_text(problem)},
      {"quantity", quantity_of(problem)},
      {"method", outcome.method},
      {"reason", json_or_null(outcome.reason)},
      {"seed", outcome.seed},
      {"effort", outcome.effort},
      {"moves", found.moves},
      {"ended", outcome.ended},
      {"wall_s", outcome.wall_s},
      {"history", history_json(problem, outcome)},
      {"starts", starts},
      {"found",
       {{"origin", found.origin}, {"cost", found.cost}, {"value", value_of(problem, found.cost)}}}};
  if (!problem.terms.empty()) {
    json["found"]["parts"] = parts_json(problem, found.map);
  }
  json["bound"] = bound_json(problem, outcome.bounds.front());
  json["bounds"] = bounds;
  json["gap"] = gap_of(outcome);
  json["proof"] = proof_json(outcome);
  json["map"] = found.map;
  if (problem.has_pins()) {
    json["pins"] = mapped(problem.pins, [](const std::optional<NodeId>& pin) {
      return pin ? ordered_json(*pin) : ordered_json(nullptr);
    });
  }
  if (!outcome.why_json.empty()) {
    json["why"] = ordered_json::parse(outcome.why_json);
  }
  json["dcube"] = json_of_dcube();
  return json;
}

std::string search_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  return json_layout(search_result(problem, outcome));
}

std::string certificate_json(const SearchProblem& problem, const SearchOutcome& outcome) {
  return json_layout(outcome.proof
                         ? exhaustive_certificate(problem, *outcome.proof)
                         : constant_certificate(problem, outcome.constant_distances.value()));
}

}  // namespace dcube::app
