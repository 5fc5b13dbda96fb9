#include "search_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/printable.hpp"

namespace dcube::app {
namespace {

/// How a cost reads: as itself over `per` (flows, bytes, picoseconds a second).
struct Scale {
  double per = 1;
  const char* quantity = "";
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
  }
  return {};
}

class Values {
 public:
  explicit Values(const SearchProblem& problem) : scale_{scale_of(problem)} {}

  double value(std::uint64_t cost) const { return static_cast<double>(cost) / scale_.per; }
  std::string text(std::uint64_t cost) const {
    return scale_.per == 1 ? grouped(cost) : fmt::format("{:.5g}", value(cost));
  }
  const char* quantity() const { return scale_.quantity; }

 private:
  Scale scale_;
};

std::string ratio_text(std::uint64_t cost, std::uint64_t bound) {
  if (bound == 0) {
    return cost == 0 ? "1.000" : "-";
  }
  return fmt::format("{:.3f}", static_cast<double>(cost) / static_cast<double>(bound));
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
    std::vector<std::string> optima;
    for (const auto& distances : proof.optima) {
      optima.push_back(fmt::format("{}", fmt::join(distances, " ")));
    }
    return fmt::format(
        "every combination of constant distances tried: none has a sum below {}\n  reached by {}\n",
        proof.least_sum, fmt::join(optima, "; "));
  }
  return {};
}

}  // namespace

std::string cost_text(const SearchProblem& problem, std::uint64_t cost) {
  const Values values{problem};
  const bool is_time =
      problem.objective == Objective::cc_time || problem.objective == Objective::makespan;
  return fmt::format("{} {}", values.text(cost), is_time ? "s" : values.quantity());
}

double value_of(const SearchProblem& problem, std::uint64_t cost) {
  return Values{problem}.value(cost);
}

std::string quantity_of(const SearchProblem& problem) { return Values{problem}.quantity(); }

std::optional<double> gap_of(const SearchOutcome& outcome) {
  const std::uint64_t bound = outcome.bounds.front().cost;
  if (bound == 0) {
    return outcome.found.cost == 0 ? std::optional{0.0} : std::nullopt;
  }
  return static_cast<double>(outcome.found.cost) / static_cast<double>(bound) - 1;
}

std::string search_summary(const SearchProblem& problem, const SearchOutcome& outcome) {
  const Values values{problem};
  const CostBound& bound = outcome.bounds.front();
  std::string text =
      fmt::format("{} of {}: {}, {}, on {}\n\n", to_string(problem.objective),
                  printable(outcome.traffic), counted(problem.traffic.process_count(), "process"),
                  counted(problem.traffic.flows().size(), "flow"), printable(outcome.machine));
  Table table{{{"embedding", Table::Align::left}, {values.quantity()}, {"to bound"}}};
  for (const StartValue& start : outcome.found.starts) {
    table.add_row({start.embedding, values.text(start.cost), ratio_text(start.cost, bound.cost)});
  }
  table.add_row(
      {"found", values.text(outcome.found.cost), ratio_text(outcome.found.cost, bound.cost)});
  table.add_row({"bound", values.text(bound.cost), ratio_text(bound.cost, bound.cost)});
  text += table.text(2);
  text += fmt::format("\nbound: {}\n", bound.source);
  const std::optional<double> gap = gap_of(outcome);
  text += fmt::format("gap:   {}\n", !gap        ? "unknown"
                                     : *gap <= 0 ? "none, an optimum"
                                                 : percent(*gap));
  text += fmt::format("found: {}", outcome.found.origin);
  if (outcome.found.moves > 0) {
    text += fmt::format(" ({} tried", counted(outcome.found.moves, "map"));
    text += fmt::format(", seed {}, {}; {})", outcome.seed, readable_seconds(outcome.wall_s),
                        outcome.ended);
  } else {
    text += fmt::format(" ({}; {})", readable_seconds(outcome.wall_s), outcome.ended);
  }
  text += fmt::format("\nmethod: {}{}\n", outcome.method,
                      outcome.reason.empty() ? "" : fmt::format(" ({})", outcome.reason));
  const std::string proof = proof_words(outcome);
  return proof.empty() ? text : text + "proof: " + proof;
}

}  // namespace dcube::app
