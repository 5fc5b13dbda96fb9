#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/topology/topology.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// The makespans of a run when computing times vary a little: see Jitter.
struct SpreadUnderJitter {
  std::uint64_t part = 0;   ///< that they vary by
  std::uint32_t draws = 0;  ///< runs, with seeds 1 ..
  Ticks least{0};           ///< makespan, of the draws and the run without jitter
  Ticks greatest{0};
  std::uint32_t not_completed = 0;  ///< draws that ended otherwise
  /// A makespan differs by more than a hundred times the part, or a draw did not complete. The
  /// computing times alone do not explain that.
  bool rests_on_ties = false;
};

/// What a comparison knows of a run that ended by itself.
struct RunFigures : RunRecord {
  /// What the critical path goes on, by CauseKind; nothing unless asked for.
  std::optional<std::array<Ticks, cause_kinds>> critical_path{};
  std::optional<SpreadUnderJitter> under_jitter{};
};

struct ComparisonRow {
  std::string embedding;
  Outcome outcome = Outcome::completed;
  std::string problem;                ///< why it failed; empty when completed
  std::optional<RunFigures> figures;  ///< nothing when the run did not end by itself
  std::uint32_t processes = 0;
  std::string network{};  ///< "fluid", where networks are compared, too
  // Where links fail at random:
  std::uint32_t failures = 0;        ///< how many
  std::uint32_t seed = 0;            ///< that they are drawn with; 0 where none fails
  std::vector<Link> failed_links{};  ///< one direction of each
  // In the folder of results, where they were written:
  std::string result{};  ///< "runs/xor.json"
  std::string trace{};   ///< "runs/xor-trace.csv"
};

/// A time that no embedding can beat, and the theorem behind it.
struct MakespanBound {
  Ticks makespan{0};
  std::string source;
};

/// What is compared: embeddings, or numbers of processes.
enum class ComparedThing { embedding, process_number };

struct Comparison {
  std::string id{};      ///< the same for the same runs of the same scenario
  std::string scenario;  ///< file as given
  std::string machine;   ///< "unit-ring-16 (ring of 16)"
  std::string program;   ///< "cc_dcube"
  std::uint32_t processes = 0;
  std::optional<MakespanBound> bound;
  std::vector<ComparisonRow> rows;
  /// About a bound that a run was faster than, and which was left out: a line that asks for a
  /// report of this defect. Empty: there is none.
  std::string refuted{};
  ComparedThing thing = ComparedThing::embedding;
  bool is_complete = true;              ///< no row is missing because of an interrupt
  std::vector<Override> settings{};     ///< of all runs, by --set
  std::vector<std::string> networks{};  ///< under which all embeddings are; empty: the scenario's
  /// Numbers of links that fail at random, ascending from 0; empty: none do.
  std::vector<std::uint32_t> failures{};
  std::uint32_t seeds = 0;  ///< draws of each number of failures but 0, with seeds 1 ..

  bool has_several_embeddings() const;
  /// 0 alone where no links fail.
  std::vector<std::uint32_t> failure_numbers() const {
    return failures.empty() ? std::vector<std::uint32_t>{0} : failures;
  }
  bool is_scaling() const { return thing == ComparedThing::process_number; }
  /// The fastest of the rows that completed. Of equals it is the one with the fewest processes,
  /// then the first. Null when none completed.
  const ComparisonRow* best() const;
  /// The same of the rows under one network.
  const ComparisonRow* best_under(const std::string& network) const;
  /// The same of the rows under the network of `row` and on its draw of failures.
  const ComparisonRow* best_beside(const ComparisonRow& row) const;
  /// The fastest of those slower than best(); null when there is none.
  const ComparisonRow* runner_up() const;
  bool has_failure() const;

  /// Part and draws that all rows with draws have in common; nothing where there are none.
  std::optional<SpreadUnderJitter> under_jitter() const;
  /// The rows that are slower than best_beside() them, but need not be so when computing times
  /// vary.
  std::vector<const ComparisonRow*> rivals_under_jitter() const;
};

/// Speedup t_0 / t_k and efficiency speedup / k [N 4]. Every row has its t_k; t_0 is what the
/// program says of one process, or else the run of one process under the same embedding.
struct Speedup {
  double speedup = 0;
  double efficiency = 0;
};
/// Nothing for a row that did not complete, took no time or has nothing to be compared with.
std::optional<Speedup> speedup_of(const Comparison& comparison, const ComparisonRow& row);

/// What an embedding makes of a number of failed links: its rows of all seeds together.
struct Degradation {
  std::string network;  ///< empty where none are compared
  std::string embedding;
  std::uint32_t failures = 0;
  std::uint32_t runs = 0;
  std::vector<std::pair<Outcome, std::uint32_t>> outcomes;  ///< how often each came, most first
  std::uint32_t completed = 0;
  // Of the runs that completed; 0 where none did:
  double mean_s = 0;
  Ticks least{0};
  Ticks greatest{0};
  UInt128 total_ps = 0;  ///< all makespans
  /// mean / makespan without failures; nothing where one of them is missing or takes no time.
  std::optional<double> slowdown;
};

/// For every network and embedding, in the order of their first rows, every number of failures that
/// has rows, ascending.
std::vector<Degradation> degradations(const Comparison& comparison);

/// The degradations of one network and number of failures that completed at all: first those with
/// more completed runs, then those with a smaller mean.
std::vector<Degradation> ranked_under_failures(const Comparison& comparison,
                                               const std::string& network, std::uint32_t failures);

// Columns hold the comparison by reference.

/// What tells a row from the others.
Columns<ComparisonRow> identity_columns(const Comparison& comparison);
/// How its run ended.
Column<ComparisonRow> outcome_column();
/// What came of its run; all of it is missing where the run did not end by itself.
Columns<ComparisonRow> figure_columns(const Comparison& comparison);
/// All of these in the order of a table for people.
Columns<ComparisonRow> row_columns(const Comparison& comparison);
/// A row is an embedding on all draws of one number of failed links.
Columns<Degradation> degradation_columns(const Comparison& comparison);

/// A makespan that no embedding beats: the greatest of the following bounds.
///  - For the CC d-cube algorithm with one compute time and one hop cost: every stage's computing,
///    and the least mean distance between partners that an embedding can have.
///  - For any program, which is run for it (see contention_free_run()): that run, as far as
///    processes do not act by the time; what a process computes and pays for its messages, what the
///    busiest link carries, what all cores of the machine can compute together, and where no
///    process acts by the time the mean over the processes of what they compute and exchange over
///    the least distances.
///  - For schedules that heed the time: what they compute and what the busiest link carries.
///  - For schedules that are graphs: the longest chain of operations, and one processor's work.
/// Nothing when none of these says more than nothing. A program whose processes share variables in
/// place of sending messages has no bound. What is told may then be false, unless `known_run`, a
/// run of the scenario, shows that the program has sent or computed something else.
std::optional<MakespanBound> makespan_bound(const Scenario& scenario,
                                            const RunReport* known_run = nullptr);
/// The first of these bounds, for which nothing is run.
std::optional<MakespanBound> closed_makespan_bound(const Scenario& scenario);

}  // namespace dcube
