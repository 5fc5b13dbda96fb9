#include "comparison_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/runs/runs_options.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/show/text_table.hpp"
#include "failure_tables.hpp"

namespace dcube::app {
namespace {

std::string title(const Comparison& comparison) {
  const std::string scenario = printable(comparison.scenario);
  const std::string machine = printable(comparison.machine);
  const std::string network = fmt::format(": {}\n  {}\n", comparison.hop, comparison.network);
  if (comparison.is_scaling()) {
    const bool is_of_one = !comparison.rows.empty() && !comparison.has_several_embeddings();
    return fmt::format(
        "{}: {}{} on {}{}", scenario, comparison.program,
        is_of_one ? fmt::format(", {} embedding,", comparison.rows.front().embedding) : "", machine,
        network);
  }
  std::string text = fmt::format("{}: {}, {}, on {}{}", scenario, comparison.program,
                                 counted(comparison.processes, "process"), machine, network);
  if (comparison.bound) {
    text += fmt::format("no embedding takes less than {}:\n  {}\n",
                        readable_seconds(to_seconds(comparison.bound->makespan)),
                        comparison.bound->source);
  }
  if (comparison.placed) {
    const PlacedMap& placed = *comparison.placed;
    text += fmt::format("placed: the map that place finds by {}, {} (no map has less than {}{})\n",
                        placed.objective, placed.cost, placed.bound,
                        placed.gap ? fmt::format(", gap {}", percent(*placed.gap)) : "");
  }
  if (comparison.failures.size() > 1) {
    text += fmt::format("{} of each number of failed links, the same for all embeddings\n",
                        counted(comparison.seeds, "sample"));
  }
  return text;
}

bool has_several_numbers(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
    return row.processes != comparison.rows.front().processes;
  });
}

/// Label of a run: the things in which it differs from others.
std::string label(const Comparison& comparison, const ComparisonRow& row) {
  if (!comparison.networks.empty()) {
    return fmt::format("{}, {}", row.network, row.embedding);
  }
  if (!has_several_numbers(comparison)) {
    return row.embedding;
  }
  const std::string number = counted(row.processes, "process");
  return comparison.has_several_embeddings() ? fmt::format("{}, {}", row.embedding, number)
                                             : number;
}

/// Reason why the winner is faster than the next, as far as the figures tell.
std::string reason(const RunFigures& winner, const RunFigures& next, bool has_packets) {
  const auto better = [&](const char* measure) -> std::optional<std::pair<double, double>> {
    const auto mine = winner.value(measure);
    const auto other = next.value(measure);
    return mine && other && *mine < *other ? std::optional{std::pair{*mine, *other}} : std::nullopt;
  };
  const auto links_of_a_message = [](const RunFigures& figures) {
    return figures.value("hops").value_or(0) / figures.value("messages").value_or(0);
  };
  if (const auto hops = better("hops"); hops && has_packets) {
    return fmt::format(": packets cross {} links in all instead of {}",
                       grouped(static_cast<std::uint64_t>(hops->first)),
                       grouped(static_cast<std::uint64_t>(hops->second)));
  }
  if (!has_packets && links_of_a_message(winner) < links_of_a_message(next)) {
    return fmt::format(": messages cross {:.3f} links on average instead of {:.3f}",
                       links_of_a_message(winner), links_of_a_message(next));
  }
  if (const auto shares = better("waiting_share")) {
    return fmt::format(": its processes wait {} of the time instead of {}", percent(shares->first),
                       percent(shares->second));
  }
  if (const auto hops = better("queued_hops")) {
    return fmt::format(": {} of its hops queue instead of {}",
                       grouped(static_cast<std::uint64_t>(hops->first)),
                       grouped(static_cast<std::uint64_t>(hops->second)));
  }
  return {};
}

/// " (equal within 1 %)", where winners differ by more than rounding.
std::string margin_words(const Comparison& comparison) {
  const double least = to_seconds(comparison.best()->figures->makespan);
  return std::ranges::all_of(comparison.winners(),
                             [&](const ComparisonRow* row) {
                               return are_as_long(to_seconds(row->figures->makespan), least);
                             })
             ? ""
             : fmt::format(" ({})", nearly_as_long);
}

/// "gray and xor win with 10 s (equal within 1 %)".
std::string winning_words(const Comparison& comparison) {
  std::vector<std::string> names = mapped(comparison.winners(), &ComparisonRow::embedding);
  const std::string last = names.back();
  names.pop_back();
  return fmt::format(
      "{} with {}{}",
      names.empty() ? last + " wins" : fmt::format("{} and {} win", joined(names, ", "), last),
      format_time(comparison.best()->figures->makespan), margin_words(comparison));
}

std::string embedding_verdict(const Comparison& comparison, const ComparisonRow& best) {
  const RunFigures& figures = *best.figures;
  const ComparisonRow* next = comparison.runner_up();
  if (next == nullptr) {
    const auto completed =
        std::ranges::count(comparison.rows, Outcome::completed, &ComparisonRow::outcome);
    return completed > 1
               ? fmt::format("no embedding is faster than another{}\n", margin_words(comparison))
               : fmt::format("{} alone completed, so there is nothing to compare it with\n",
                             best.embedding);
  }
  const Ticks gain = next->figures->makespan - figures.makespan;
  return fmt::format("{}, {} less than {} ({}){}\n", winning_words(comparison),
                     percent(to_seconds(gain) / to_seconds(next->figures->makespan)),
                     next->embedding, format_time(next->figures->makespan),
                     reason(figures, *next->figures, comparison.has_packets));
}

/// The row with the most processes among those with the embedding of `row`.
const ComparisonRow& largest(const Comparison& comparison, const ComparisonRow& row) {
  const ComparisonRow* most = &row;
  for (const ComparisonRow& other : comparison.rows) {
    if (other.outcome == Outcome::completed && other.embedding == row.embedding &&
        other.processes > most->processes) {
      most = &other;
    }
  }
  return *most;
}

/// The extra time of the most processes, if there are more than in `best`.
std::string cost_of_more(const Comparison& comparison, const ComparisonRow& best) {
  const ComparisonRow& most = largest(comparison, best);
  if (best.figures->makespan == Ticks{0} || most.processes == best.processes) {
    return {};
  }
  const std::string count = counted(most.processes, "process");
  const Ticks more = most.figures->makespan - best.figures->makespan;
  if (more == Ticks{0}) {
    return fmt::format("; {} take as long", count);
  }
  return fmt::format("; {} take {} longer ({})", count,
                     percent(to_seconds(more) / to_seconds(best.figures->makespan)),
                     format_time(most.figures->makespan));
}

std::string number_verdict(const Comparison& comparison, const ComparisonRow& best) {
  const bool is_work_different =
      std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
        return row.figures &&
               row.figures->value("sequential_s") != best.figures->value("sequential_s");
      });
  return fmt::format(
      "the shortest time is that of {}{}: {}{}\n{}", counted(best.processes, "process"),
      comparison.has_several_embeddings() ? " under " + best.embedding : "",
      format_time(best.figures->makespan), cost_of_more(comparison, best),
      is_work_different ? "the work differs from number to number: see the speedup\n" : "");
}

/// What is said of a comparison of which some runs are missing: who wins is open.
std::string partial_verdict(const Comparison& comparison) {
  const bool is_ranked = !comparison.failures.empty() || !comparison.networks.empty();
  const ComparisonRow* const fastest = is_ranked ? nullptr : comparison.fastest_so_far();
  return fmt::format("incomplete (other runs are not done): {}\n",
                     fastest == nullptr ? "no ranking"
                                        : fmt::format("the fastest so far is {} with {}",
                                                      label(comparison, *fastest),
                                                      format_time(fastest->figures->makespan)));
}

/// "fair links: gray takes 3 s, 5.0 % less than xor (packets of 4 KiB in turn)"; empty where the
/// winner stays.
std::string fair_line(const Comparison& comparison) {
  const ComparisonRow* const best = comparison.best();
  if (best != nullptr && comparison.lacks_fair_links()) {
    const std::optional<UnderFairLinks>& own = best->figures->under_fair_links;
    return !own                      ? ""
           : comparison.checks_links ? "fair links: unknown (some runs cannot be made again)\n"
                                     : fair_links_not_tried(own->links.queued_share);
  }
  const ComparisonRow* const fair = comparison.best_under_fair_links();
  if (fair == nullptr) {
    return comparison.is_complete && comparison.checks_links
               ? "fair links: no other embedding is faster\n"
               : "";
  }
  const Ticks makespan = fair->figures->fair_makespan();
  const auto& links = (fair->figures->under_fair_links ? fair : best)->figures->under_fair_links;
  return fmt::format("fair links: {} takes {}, {} less than {} (packets of {} in turn)\n",
                     fair->embedding, format_time(makespan),
                     percent(1 - to_seconds(makespan) / to_seconds(best->figures->fair_makespan())),
                     best->embedding, size_text(links.value().links.packet_bytes));
}

// --- Critical paths ---

const char* name_of_kind(std::size_t kind) { return to_string(static_cast<CauseKind>(kind)); }

bool is_explained(const ComparisonRow& row) { return row.figures && row.figures->critical_path; }

/// Kinds of causes that are shown: all, but `blocked`, which is for deadlocks, only where there is
/// some.
std::vector<std::size_t> shown_kinds(const Comparison& comparison) {
  return kept(numbered<std::size_t>(cause_kinds), [&](std::size_t kind) {
    return static_cast<CauseKind>(kind) != CauseKind::blocked ||
           std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
             return is_explained(row) && (*row.figures->critical_path)[kind] > Ticks{0};
           });
  });
}

std::string path_table(const Comparison& comparison) {
  const bool is_of_runs = has_several_numbers(comparison) || !comparison.networks.empty();
  Columns<ComparisonRow> columns{{is_of_runs ? "run" : "embedding", Shown::text,
                                  [&](const auto& row) { return label(comparison, row); }}};
  std::vector<ComparisonRow> rows = comparison.rows;
  std::erase_if(rows, [](const ComparisonRow& row) { return !is_explained(row); });
  const TimeScale scale{
      mapped(rows, [](const ComparisonRow& row) { return to_seconds(row.figures->makespan); })};
  for (const std::size_t kind : shown_kinds(comparison)) {
    columns.push_back({name_of_kind(kind), Shown::figure, [&scale, kind](const auto& row) {
                         return scale.text(to_seconds((*row.figures->critical_path)[kind]));
                       }});
  }
  return text_table(columns, rows).text();
}

/// "hop 10 s instead of 12 s, queueing 0 s instead of 2 s".
std::string differences(const RunFigures& best, const RunFigures& other) {
  std::vector<std::string> parts;
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    const Ticks here = (*best.critical_path)[kind];
    const Ticks there = (*other.critical_path)[kind];
    if (here != there) {
      parts.push_back(fmt::format("{} {} instead of {}", name_of_kind(kind), format_time(here),
                                  format_time(there)));
    }
  }
  return joined(parts, ", ");
}

/// A table, and where they differ a sentence on the fastest run and the one it is held against.
std::string compared_paths(const Comparison& comparison) {
  if (std::ranges::none_of(comparison.rows, is_explained)) {
    return {};
  }
  std::string text = "\nwhat the critical path of each goes on (dcube run --why follows one)\n" +
                     path_table(comparison);
  const ComparisonRow* best = comparison.networks.empty() ? comparison.best() : nullptr;
  const ComparisonRow* other = best == nullptr           ? nullptr
                               : comparison.is_scaling() ? &largest(comparison, *best)
                                                         : comparison.runner_up();
  if (other != nullptr && is_explained(*best) && is_explained(*other)) {
    if (const std::string parts = differences(*best->figures, *other->figures); !parts.empty()) {
      text += fmt::format("\n{} against {}: {}\n", label(comparison, *best),
                          label(comparison, *other), parts);
    }
  }
  return text;
}

// --- Ties ---

/// Four digits without the zeros at the end: "16 s", "1.234 ms".
std::string short_time(Ticks time) {
  const double seconds = to_seconds(time);
  const double digits = seconds > 0 ? 3 - std::floor(std::log10(seconds)) : 0;
  const double unit = std::pow(10.0, digits);
  return format_time(parse_duration(fmt::format("{:.15g}", std::round(seconds * unit) / unit)));
}

std::string spread_text(const SpreadUnderJitter& spread) {
  const std::string least = short_time(spread.least);
  const std::string greatest = short_time(spread.greatest);
  std::string text = least == greatest ? least : fmt::format("{} to {}", least, greatest);
  if (spread.not_completed > 0) {
    text +=
        fmt::format(", and {} of {} samples do not complete", spread.not_completed, spread.draws);
  }
  return text;
}

/// Up to this part only the order of what happens at one instant changes.
constexpr std::uint64_t least_part_without_ties = Jitter::whole / 1000;

std::string part_text(std::uint64_t part) {
  return part < least_part_without_ties
             ? jitter_part_text({.part = part})
             : fmt::format("{:.4g} %",
                           100 * static_cast<double>(part) / static_cast<double>(Jitter::whole));
}

}  // namespace

std::string comparison_verdict(const Comparison& comparison) {
  if (!comparison.is_complete) {
    return partial_verdict(comparison);
  }
  if (!comparison.failures.empty() || !comparison.networks.empty()) {
    return rankings(comparison);
  }
  const ComparisonRow* best = comparison.best();
  if (best == nullptr || comparison.rows.size() < 2) {
    return {};
  }
  return comparison.is_scaling() ? number_verdict(comparison, *best)
                                 : embedding_verdict(comparison, *best);
}

std::string tie_text(const Comparison& comparison,
                     const std::function<std::string(const ComparisonRow&)>& label) {
  std::vector<const ComparisonRow*> tied;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.figures && row.figures->under_jitter && row.figures->under_jitter->rests_on_ties) {
      tied.push_back(&row);
    }
  }
  const std::vector<const ComparisonRow*> rivals = comparison.rivals_under_jitter();
  if (tied.empty() && rivals.empty()) {
    return {};
  }
  const SpreadUnderJitter drawn = *comparison.under_jitter();
  const bool are_ties = !tied.empty() && drawn.part < least_part_without_ties;
  std::string text =
      fmt::format("\n{}when computing times vary by {} ({})\n", are_ties ? "tie-sensitive; " : "",
                  part_text(drawn.part), counted(drawn.draws, "sample"));
  for (const ComparisonRow* const row : tied) {
    text += fmt::format("  {} takes {}\n", label(*row), spread_text(*row->figures->under_jitter));
  }
  for (const ComparisonRow* const row : rivals) {
    const ComparisonRow& winner = *comparison.best_beside(*row);
    text += fmt::format("  {} need not beat {}: {} against {}\n", label(winner), label(*row),
                        spread_text(*winner.figures->under_jitter),
                        spread_text(*row->figures->under_jitter));
  }
  if (const ComparisonRow* const best = comparison.best();
      best != nullptr && rivals.empty() && comparison.networks.empty() &&
      best->figures->under_jitter && comparison.winners().size() == 1 &&
      comparison.runner_up() != nullptr) {
    text += fmt::format("  {} wins all the same: {}\n", label(*best),
                        spread_text(*best->figures->under_jitter));
  }
  return text;
}

std::string comparison_table(const Comparison& comparison) {
  const std::string verdict = comparison_verdict(comparison);
  return title(comparison) + "\n" +
         (comparison.failures.empty() ? text_table(row_columns(comparison), comparison.rows).text()
                                      : failure_table(comparison)) +
         (verdict.empty() ? "" : "\n" + verdict) + fair_line(comparison) +
         tie_text(comparison, [&](const ComparisonRow& row) { return label(comparison, row); }) +
         compared_paths(comparison);
}

}  // namespace dcube::app
