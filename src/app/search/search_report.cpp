#include "search_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/questions/search.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

/// "61.2 % of the bytes at 1 hop, ..".
std::string distance_words(const MapReasons& reasons) {
  const double all =
      sum_of(reasons.bytes_apart, [](std::uint64_t bytes) { return static_cast<double>(bytes); });
  std::vector<std::string> words;
  double rest = 0;
  constexpr std::size_t most_listed = 5;
  for (std::size_t hops = 0; hops < reasons.bytes_apart.size(); ++hops) {
    const double share = static_cast<double>(reasons.bytes_apart[hops]) / std::max(all, 1.0);
    if (hops < most_listed && share > 0) {
      words.push_back(
          fmt::format("{} {}", percent(share), hops == 0 ? "inside nodes" : counted(hops, "hop")));
    } else {
      rest += share;
    }
  }
  if (rest > 0) {
    words.push_back(fmt::format("{} farther", percent(rest)));
  }
  return joined(words, ", ");
}

/// The bound of all maps, and by how much this one is above it.
std::string bound_words(const MeasuredObjective& measured) {
  const CostBound& bound = measured.bounds.front();
  const SearchProblem& problem = measured.problem;
  const std::string found =
      fmt::format("{}: {}", to_string(problem.objective), cost_text(problem, measured.cost));
  if (measured.cost <= bound.cost) {
    return fmt::format("{}, and no map has less ({})", found, bound.source);
  }
  const std::string gap =
      bound.cost == 0
          ? ""
          : fmt::format(
                ", {} above",
                percent(static_cast<double>(measured.cost) / static_cast<double>(bound.cost) - 1));
  return fmt::format("{}{}; no map has less than {} ({})", found, gap,
                     cost_text(problem, bound.cost), bound.source);
}

std::string proof_words(const SearchAnswer& answer) {
  if (answer.proof && answer.proof->is_complete) {
    const ExhaustiveProof& proof = *answer.proof;
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
  if (answer.constant_distances && answer.constant_distances->is_complete) {
    const ConstantDistanceProof& proof = *answer.constant_distances;
    return fmt::format(
        "every combination of constant distances tried: none has a sum below {}\n  reached by {}\n",
        proof.least_sum,
        joined(proof.optima, "; ", [](const auto& distances) { return joined(distances, " "); }));
  }
  return {};
}

}  // namespace

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

std::string gap_words(const SearchAnswer& answer) {
  const std::optional<double> gap = answer.gap();
  if (!gap || *gap <= 0) {
    return !gap ? "unknown" : "none, an optimum";
  }
  const bool mixes_maps =
      answer.semidefinite && answer.semidefinite->bound.cost == answer.bounds.front().cost;
  return percent(*gap) +
         (mixes_maps ? " (part of it is the bound's, which is of mixtures of maps)" : "");
}

std::string also_lines(const SearchAnswer& answer) {
  std::vector<std::string> words = mapped(answer.also_least, [](const MeasuredObjective& least) {
    return fmt::format("{} ({})", to_string(least.problem.objective),
                       cost_text(least.problem, least.cost));
  });
  std::string text;
  if (!words.empty()) {
    const std::string last = words.back();
    words.pop_back();
    text = fmt::format("also:  no map has less {}{}{}\n", joined(words, ", "),
                       words.empty() ? "" : " or ", last);
  }
  if (makes_detours(answer.machine->links.routing.kind) &&
      !answer.problem->has(&ObjectiveTraits::is_simulated)) {
    text += "note:  distances leave out the detours that messages draw\n";
  }
  return text;
}

std::string found_words(const SearchAnswer& answer) {
  const std::string tried =
      answer.found.moves > 0
          ? fmt::format("{} tried, seed {}, ", counted(answer.found.moves, "map"), answer.seed)
          : "";
  return fmt::format("{} ({}{}; {})", answer.found.origin, tried, readable_seconds(answer.wall_s),
                     answer.ended);
}

std::string simulation_lines(const SearchAnswer& answer) {
  std::string text;
  if (const auto& spread = answer.under_jitter) {
    const auto time = [&](Ticks ticks) {
      return number_text(*answer.problem, static_cast<std::uint64_t>(ticks.count()));
    };
    text += fmt::format("spread: {} to {}, {} on average of {} seeds of the jitter\n",
                        time(spread->least), time(spread->greatest),
                        number_text(*answer.problem, answer.found.cost), spread->seeds);
  }
  if (answer.brief) {
    text += fmt::format("brief: candidates ran {}; the best {} ran the whole program{}\n",
                        joined(answer.brief->repeats, ", ",
                               [](const BriefRuns::Repeats& one) {
                                 return fmt::format("{}={} instead of {}", one.setting, one.brief,
                                                    one.whole);
                               }),
                        grouped(answer.found.checked),
                        answer.found.is_reordered ? ", which puts another first" : "");
  }
  return text;
}

std::string search_summary(const SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  const CostBound& bound = answer.bounds.front();
  std::string text = fmt::format(
      "{} of {}: {}, {}, on {}\n", to_string(problem.goal()), printable(answer.traffic_name),
      counted(problem.traffic.process_count(), "process"),
      counted(problem.traffic.flows().size(), "flow"), printable(answer.machine_name));
  if (problem.topology.usable_count() < problem.topology.terminal_count()) {
    text += fmt::format("  {} of {} may host processes\n", grouped(problem.topology.usable_count()),
                        counted(problem.topology.terminal_count(), "node"));
  }
  text += subject_words(problem) + "\n";
  std::vector<StartValue> rows = answer.found.starts;
  rows.insert(rows.end(), {{"found", answer.found.cost}, {"bound", bound.cost}});
  text += text_table(cost_columns(problem, "embedding", bound.cost), rows).text(2);
  if (!problem.terms.empty()) {
    text += "\n" + text_table(part_columns(answer), answer.parts).text(2);
  }
  text += fmt::format("\nbound: {}\n", bound.source);
  text += fmt::format("gap:   {}\n{}found: {}", gap_words(answer), also_lines(answer),
                      found_words(answer));
  text += fmt::format("\n{}method: {}{}\n", simulation_lines(answer), answer.method,
                      answer.reason.empty() ? "" : fmt::format(" ({})", answer.reason));
  const std::string proof = proof_words(answer);
  text += proof.empty() ? "" : "proof: " + proof;
  return answer.why ? text + "\n" + reasons_text(*answer.why, answer.found.map) : text;
}

std::string reasons_text(const MapReasons& reasons, std::span<const NodeId> map) {
  std::string text = "why\n";
  if (!reasons.knows_routes) {
    text += "  which links are busiest is unknown: messages draw or choose their routes\n";
  } else if (!reasons.busiest_links.empty()) {
    text += text_table(link_columns(reasons), reasons.busiest_links).text(2);
  }
  if (!reasons.costly_pairs.empty()) {
    text += "\n" + text_table(pair_columns(map), reasons.costly_pairs).text(2);
  }
  text += fmt::format("\n  distances: {}\n", distance_words(reasons));
  for (const LosingProcess& one : reasons.losing) {
    text += fmt::format(
        "  process {} on node {} loses up to {} hop-bytes: it has {}, on its nearest nodes at "
        "least "
        "{}\n",
        one.process.index(), map[one.process.index()].index(), grouped(one.hop_bytes - one.least),
        grouped(one.hop_bytes), grouped(one.least));
  }
  text += "\n";
  for (const MeasuredObjective& measured : reasons.measured) {
    text += fmt::format("  {}\n", bound_words(measured));
  }
  return text;
}

}  // namespace dcube::app
