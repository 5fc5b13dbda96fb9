#include "dcube/questions/comparison.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace dcube {
namespace {

bool is_completed(const ComparisonRow& row) { return row.outcome == Outcome::completed; }

bool is_faster(const ComparisonRow& row, const ComparisonRow& other) {
  return row.figures->makespan != other.figures->makespan
             ? row.figures->makespan < other.figures->makespan
             : row.processes < other.processes;
}

/// Whether the run takes longer by more than rounding.
bool is_slower(const RunFigures& run, const RunFigures& other) {
  return run.makespan > other.makespan &&
         !are_as_long(to_seconds(run.makespan), to_seconds(other.makespan));
}

/// The fastest of the rows that completed and are `wanted`; null when there are none.
template <class Wanted>
const ComparisonRow* fastest_of(const std::vector<ComparisonRow>& rows, Wanted wanted) {
  const ComparisonRow* best = nullptr;
  for (const ComparisonRow& row : rows) {
    if (wanted(row) && is_completed(row) && (best == nullptr || is_faster(row, *best))) {
      best = &row;
    }
  }
  return best;
}

void add(Degradation& degradation, const ComparisonRow& row) {
  ++degradation.runs;
  const auto counted = std::ranges::find(degradation.outcomes, row.outcome,
                                         &std::pair<Outcome, std::uint32_t>::first);
  if (counted != degradation.outcomes.end()) {
    ++counted->second;
  } else {
    degradation.outcomes.emplace_back(row.outcome, 1);
  }
  if (!is_completed(row)) {
    return;
  }
  const Ticks makespan = row.figures->makespan;
  const bool is_first = degradation.completed == 0;
  degradation.least = is_first ? makespan : std::min(degradation.least, makespan);
  degradation.greatest = std::max(degradation.greatest, makespan);
  degradation.total_ps += static_cast<std::uint64_t>(makespan.count());
  ++degradation.completed;
}

/// Adds all rows of its network, embedding and number of failures. The slowdown is left out.
Degradation degradation_of(const Comparison& comparison, Degradation degradation) {
  for (const ComparisonRow& row : comparison.rows) {
    if (row.network == degradation.network && row.embedding == degradation.embedding &&
        row.failures == degradation.failures) {
      add(degradation, row);
    }
  }
  std::ranges::stable_sort(degradation.outcomes, std::ranges::greater{},
                           &std::pair<Outcome, std::uint32_t>::second);
  if (degradation.completed > 0) {
    degradation.mean_s = static_cast<double>(degradation.total_ps) / degradation.completed /
                         static_cast<double>(Ticks::period::den);
  }
  return degradation;
}

/// Time on one process; nothing when it is not known.
std::optional<double> base_time_s(const Comparison& comparison, const ComparisonRow& row) {
  if (const auto alone_s = row.figures->value("sequential_s")) {
    return alone_s;
  }
  const auto alone = std::ranges::find_if(comparison.rows, [&](const ComparisonRow& other) {
    return other.processes == 1 && other.embedding == row.embedding && is_completed(other);
  });
  return alone != comparison.rows.end() ? std::optional{to_seconds(alone->figures->makespan)}
                                        : std::nullopt;
}

}  // namespace

bool Comparison::has_several_embeddings() const {
  return std::ranges::any_of(
      rows, [&](const ComparisonRow& row) { return row.embedding != rows.front().embedding; });
}

const ComparisonRow* Comparison::best() const { return is_complete ? fastest_so_far() : nullptr; }

const ComparisonRow* Comparison::fastest_so_far() const {
  return fastest_of(rows, [](const ComparisonRow&) { return true; });
}

const ComparisonRow* Comparison::best_beside(const ComparisonRow& row) const {
  return fastest_of(rows, [&](const ComparisonRow& other) {
    return other.network == row.network && other.failures == row.failures && other.seed == row.seed;
  });
}

std::vector<const ComparisonRow*> Comparison::winners() const {
  std::vector<const ComparisonRow*> winners;
  const ComparisonRow* const fastest = best();
  for (const ComparisonRow& row : rows) {
    if (fastest != nullptr && is_completed(row) &&
        are_nearly_as_long(to_seconds(row.figures->makespan),
                           to_seconds(fastest->figures->makespan))) {
      winners.push_back(&row);
    }
  }
  return winners;
}

const ComparisonRow* Comparison::runner_up() const {
  const std::vector<const ComparisonRow*> fastest = winners();
  return fastest_of(rows, [&](const ComparisonRow& row) {
    return std::ranges::find(fastest, &row) == fastest.end();
  });
}

std::vector<Degradation> degradations(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> embeddings;
  for (const ComparisonRow& row : comparison.rows) {
    const std::pair key{row.network, row.embedding};
    if (std::ranges::find(embeddings, key) == embeddings.end()) {
      embeddings.push_back(key);
    }
  }
  std::vector<Degradation> all;
  for (const auto& [network, embedding] : embeddings) {
    Degradation intact;
    for (const std::uint32_t failures : comparison.failure_numbers()) {
      Degradation degradation = degradation_of(comparison, {.network = network,
                                                            .embedding = embedding,
                                                            .failures = failures,
                                                            .outcomes = {},
                                                            .slowdown = {}});
      if (failures == 0) {
        intact = degradation;
      }
      if (degradation.completed > 0 && intact.mean_s > 0) {
        degradation.slowdown = degradation.mean_s / intact.mean_s;
      }
      if (degradation.runs > 0) {
        all.push_back(std::move(degradation));
      }
    }
  }
  return all;
}

std::vector<Degradation> ranked_under_failures(const Comparison& comparison,
                                               const std::string& network, std::uint32_t failures) {
  std::vector<Degradation> ranked = degradations(comparison);
  std::erase_if(ranked, [&](const Degradation& degradation) {
    return !comparison.is_complete || degradation.network != network ||
           degradation.failures != failures || degradation.completed == 0;
  });
  std::ranges::stable_sort(ranked, [](const Degradation& a, const Degradation& b) {
    return a.completed != b.completed ? a.completed > b.completed : a.total_ps < b.total_ps;
  });
  return ranked;
}

std::optional<SpreadUnderJitter> Comparison::under_jitter() const {
  const auto drawn = std::ranges::find_if(
      rows, [](const ComparisonRow& row) { return row.figures && row.figures->under_jitter; });
  return drawn != rows.end() ? drawn->figures->under_jitter : std::nullopt;
}

std::vector<const ComparisonRow*> Comparison::rivals_under_jitter() const {
  std::vector<const ComparisonRow*> rivals;
  for (const ComparisonRow& row : rows) {
    if (!is_completed(row) || !row.figures->under_jitter) {
      continue;
    }
    const RunFigures& best = *best_beside(row)->figures;
    if (is_slower(*row.figures, best) && best.under_jitter &&
        row.figures->under_jitter->least <= best.under_jitter->greatest) {
      rivals.push_back(&row);
    }
  }
  return rivals;
}

bool Comparison::lacks_fair_links() const {
  return std::ranges::any_of(rows, [](const ComparisonRow& row) {
    return row.figures && row.figures->under_fair_links && !row.figures->under_fair_links->makespan;
  });
}

const ComparisonRow* Comparison::best_under_fair_links() const {
  const ComparisonRow* const own = best();
  if (own == nullptr || lacks_fair_links()) {
    return nullptr;
  }
  const ComparisonRow* fastest = own;
  for (const ComparisonRow& row : rows) {
    if (is_completed(row) && row.figures->fair_makespan() < fastest->figures->fair_makespan()) {
      fastest = &row;
    }
  }
  return are_nearly_as_long(to_seconds(fastest->figures->fair_makespan()),
                            to_seconds(own->figures->fair_makespan()))
             ? nullptr
             : fastest;
}

bool Comparison::has_failure() const { return !std::ranges::all_of(rows, is_completed); }

std::optional<Speedup> speedup_of(const Comparison& comparison, const ComparisonRow& row) {
  if (!is_completed(row) || row.figures->makespan == Ticks{0}) {
    return std::nullopt;
  }
  const std::optional<double> base_s = base_time_s(comparison, row);
  if (!base_s || *base_s == 0) {
    return std::nullopt;
  }
  const double speedup = *base_s / to_seconds(row.figures->makespan);
  return Speedup{speedup, speedup / row.processes};
}

}  // namespace dcube
