#include "dcube/search/semidefinite.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "difference_classes.hpp"
#include "dual.hpp"
#include "relaxation.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/parts.hpp"
#include "talkers.hpp"

namespace dcube {
namespace {

constexpr std::array<const char*, 3> sources{
    "semidefinite: a matrix for every kind of wave over the machine (Zhao, Karisch, Rendl & "
    "Wolkowicz 1998; de Klerk & Sotirov 2010)",
    "semidefinite, with triangle inequalities of distances (Zhao, Karisch, Rendl & Wolkowicz 1998; "
    "Djokovic 1973)",
    "semidefinite, with triangle and pentagon inequalities of distances (Zhao, Karisch, Rendl & "
    "Wolkowicz 1998; Deza & Laurent 1997)"};

/// Rounds of a level: cuts are added before each.
struct Schedule {
  std::uint32_t first_steps = 150;
  std::uint32_t rounds = 0;
  std::uint32_t steps = 0;
  std::uint32_t first_pentagons = ~0U;  ///< round
};
Schedule schedule_of(SemidefiniteLevel level) {
  switch (level) {
    case SemidefiniteLevel::matrices:
      return {};
    case SemidefiniteLevel::triangles:
      return {100, 24, 30};
    default:
      return {100, 40, 50, 4};
  }
}

double work_of_a_step(const DifferenceClasses& classes, std::size_t talkers) {
  const double rows = static_cast<double>(talkers) + 2;
  constexpr double of_a_decomposition = 12;
  return static_cast<double>(classes.mode_count()) *
         (of_a_decomposition * rows * rows * rows +
          rows * rows * static_cast<double>(classes.class_count()));
}

class SemidefiniteRun {
 public:
  SemidefiniteRun(const SearchProblem& problem, const SemidefiniteSettings& settings,
                  DifferenceClasses classes)
      : settings_{settings},
        classes_{std::move(classes)},
        talkers_{problem, Partners{problem.traffic, problem.objective}, classes_},
        process_count_{problem.traffic.process_count()},
        relaxation_{classes_, talkers_} {
    // Where steps take seconds, an end that comes early leaves a bound.
    constexpr double much = 3e9;
    block_ = work_of_a_step(classes_, talkers_.count()) > much ? 10 : 50;
  }

  void run() {
    const Schedule schedule = schedule_of(settings_.level);
    for (std::uint32_t done = 0; done < schedule.first_steps && !is_over_;) {
      const std::uint32_t block = std::min(block_, schedule.first_steps - done);
      step(block);
      done += block;
      prove();
      if (relaxation_.has_converged()) {
        break;
      }
    }
    std::uint32_t idle_rounds = 0;
    for (std::uint32_t round = 0; round < schedule.rounds && !is_over_; ++round) {
      if (round > 0) {
        relaxation_.drop_slack_cuts();
      }
      if (round == 0 || round == schedule.first_pentagons) {
        relaxation_.heat();
      }
      add_violated_cuts(relaxation_, round < 3 ? 3000 : 1500, round >= schedule.first_pentagons);
      if (relaxation_.cuts().empty()) {
        break;
      }
      const Int128 before = best_.value;
      for (std::uint32_t done = 0; done < schedule.steps; done += block_) {
        step(std::min(block_, schedule.steps - done));
        prove();
      }
      // The first cuts upset the multipliers, so rounds may fail before later ones succeed.
      const double gained = static_cast<double>(best_.value - before);
      idle_rounds = gained > 2e-5 * static_cast<double>(best_.value) ? 0 : idle_rounds + 1;
      constexpr std::uint32_t most_idle_rounds = 6;
      if (round >= schedule.rounds / 2 && idle_rounds >= most_idle_rounds) {
        break;
      }
    }
  }

  /// Splits into cases after that.
  void branch() {
    if (is_over_ || !best_.is_known || !settings_.reached) {
      return;
    }
    relaxation_.drop_slack_cuts();
    branched_ = branched_bound(relaxation_, {.reached = *settings_.reached,
                                             .bound = best_.cost,
                                             .jobs = settings_.jobs,
                                             .should_stop = settings_.should_stop,
                                             .on_bound = settings_.on_bound});
  }

  std::optional<SemidefiniteProof> proof() const {
    if (!best_.is_known) {
      return std::nullopt;
    }
    SemidefiniteProof proof{
        .bound = {best_.cost, sources[static_cast<std::size_t>(settings_.level)]},
        .level = settings_.level,
        .branched = branched_.cost > best_.cost ? branched_.cost : 0,
        .cases = branched_.cases,
        .scale_bits = talkers_.scale_bits,
        .talkers = talkers_.processes,
        .idle = talkers_.idle};
    for (std::size_t i = 0; i < dual_.modes.size(); ++i) {
      const Dual::Mode& mode = dual_.modes[i];
      SemidefiniteProof::Mode& written = proof.modes.emplace_back();
      written.key = classes_.mode_keys[i + 1];
      for (const auto& column : mode.factor.colwise()) {
        written.columns.emplace_back(column.begin(), column.end());
      }
      written.level.assign(mode.level.begin(), mode.level.end());
      written.idle = mode.idle;
    }
    for (const Dual::Cut& cut : dual_.cuts) {
      SemidefiniteProof::Cut& written = proof.cuts.emplace_back();
      written.distance = classes_.distances[cut.cut.distance].name;
      for (std::size_t i = 0; i < cut.cut.points; ++i) {
        const std::uint16_t talker = cut.cut.talkers[i];
        written.points.push_back(talker < talkers_.count() ? talkers_.processes[talker]
                                                           : process_count_);
        written.signs.push_back(cut.cut.signs[i]);
      }
      written.multiplier = cut.multiplier;
    }
    return proof;
  }

 private:
  void step(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count && !is_over_; ++i) {
      is_over_ = !relaxation_.step(settings_.should_stop);
    }
  }

  void prove() {
    if (is_over_) {
      return;
    }
    Dual dual = relaxation_.dual();
    const ProvedBound bound = proved_bound(classes_, talkers_, dual);
    if (!bound.is_known || (best_.is_known && bound.value <= best_.value)) {
      return;
    }
    const bool is_greater = bound.cost > best_.cost;
    best_ = bound;
    dual_ = std::move(dual);
    if (is_greater && settings_.on_bound) {
      settings_.on_bound(best_.cost);
    }
    is_over_ = is_over_ || (settings_.reached && best_.cost >= *settings_.reached);
  }

  const SemidefiniteSettings& settings_;
  DifferenceClasses classes_;
  Talkers talkers_;
  std::uint32_t process_count_ = 0;
  Relaxation relaxation_;
  BranchedBound branched_;
  ProvedBound best_;
  Dual dual_;
  std::uint32_t block_ = 50;  ///< steps between proofs
  bool is_over_ = false;
};

constexpr std::uint32_t most_talkers = 300;

}  // namespace

std::optional<double> semidefinite_work(const SearchProblem& problem, SemidefiniteLevel level) {
  // Differences of places tell hops, not what they weigh.
  if (!traits_of(problem.objective).is_sum || weighs_hops(problem)) {
    return std::nullopt;
  }
  const std::optional<DifferenceClasses> classes = DifferenceClasses::of(problem.topology);
  if (!classes) {
    return std::nullopt;
  }
  // Tables of pairs come after this: they may not fit in memory.
  const std::size_t talkers =
      talking_processes(Partners{problem.traffic, problem.objective}).size();
  if (talkers < 2 || talkers > most_talkers) {
    return std::nullopt;
  }
  const Schedule schedule = schedule_of(level);
  return (schedule.first_steps + schedule.rounds * schedule.steps) *
         work_of_a_step(*classes, talkers);
}

std::optional<SemidefiniteProof> semidefinite_bound(const SearchProblem& problem,
                                                    const SemidefiniteSettings& settings) {
  if (!semidefinite_work(problem, settings.level)) {
    return std::nullopt;
  }
  const auto tables =
      settings.branches ? DifferenceClasses::NodeTables::made : DifferenceClasses::NodeTables::none;
  SemidefiniteRun run{problem, settings, *DifferenceClasses::of(problem.topology, 0, tables)};
  run.run();
  if (settings.branches) {
    run.branch();
  }
  return run.proof();
}

std::optional<CostBound> semidefinite_bound_of_parts(const SearchProblem& problem, double work,
                                                     const std::function<bool()>& should_stop) {
  const std::vector<PartKind> kinds = kinds_of_parts(problem.traffic);
  const auto is_quick = [&](const SearchProblem& part, SemidefiniteLevel level) {
    const std::optional<double> needed = semidefinite_work(part, level);
    return needed && *needed * static_cast<double>(kinds.size()) <= work;
  };
  const bool are_quick = std::ranges::all_of(kinds, [&](const PartKind& kind) {
    return is_quick(problem.with(problem.topology, kind.traffic), SemidefiniteLevel::matrices);
  });
  if (!are_quick) {
    return std::nullopt;
  }
  bool gains = false;
  CostBound sum = bound_of_parts(kinds, problem, [&](const SearchProblem& part) {
    CostBound bound = cost_bounds(part).front();
    const SemidefiniteSettings settings{.level = is_quick(part, SemidefiniteLevel::triangles)
                                                     ? SemidefiniteLevel::triangles
                                                     : SemidefiniteLevel::matrices,
                                        .reached = best_start(part).cost,
                                        .should_stop = should_stop};
    if (bound.cost < settings.reached) {
      const auto proof = semidefinite_bound(part, settings);
      if (proof->bound.cost > bound.cost) {
        gains = true;
        bound = proof->bound;
      }
    }
    return bound;
  });
  return gains ? std::optional{std::move(sum)} : std::nullopt;
}

}  // namespace dcube
