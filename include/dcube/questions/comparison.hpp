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
#include "dcube/questions/fair_links.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/topology/topology.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// The makespans of a run when computing times vary a little: see Jitter.
struct SpreadUnderJitter {
  std::uint64_t part = 0;   ///< by which computing times vary
  std::uint32_t draws = 0;  ///< runs, with seeds 1 ..
  Ticks least{0};           ///< makespan, of the draws and the run itself
  Ticks greatest{0};
  std::uint32_t not_completed = 0;  ///< draws that ended otherwise
  /// A makespan differs by more than a hundred times the part, or a draw did not complete. The
  /// computing times alone do not explain that.
  bool rests_on_ties = false;
};

/// Figures of a run that ended by itself.
struct RunFigures : RunRecord {
  /// Time on the critical path by CauseKind; nothing unless asked for.
  std::optional<std::array<Ticks, cause_kinds>> critical_path{};
  std::optional<SpreadUnderJitter> under_jitter{};
  std::optional<UnderFairLinks> under_fair_links{};  ///< where they would make a difference

  /// The makespan under fair links, which is that of the run where they make no difference.
  Ticks fair_makespan() const {
    return under_fair_links ? under_fair_links->makespan.value_or(makespan) : makespan;
  }
};

struct ComparisonRow {
  std::string embedding;
  Outcome outcome = Outcome::completed;
  std::string problem;                ///< why it failed; empty when completed
  std::optional<RunFigures> figures;  ///< nothing when the run did not end by itself
  std::uint32_t processes = 0;
  std::string network{};  ///< "fluid", where networks are compared, too
  // Where links fail at random:
  std::uint32_t failures = 0;        ///< number of failed links
  std::uint32_t seed = 0;            ///< of the draw; 0 where none fails
  std::vector<Link> failed_links{};  ///< one direction of each
  // Files in the folder of results, if they were written:
  std::string result{};  ///< "runs/xor.json"
  std::string trace{};   ///< "runs/xor-trace.csv"
};

/// A time that no embedding can beat, and the theorem behind it.
struct MakespanBound {
  Ticks makespan{0};
  std::string source;
};

/// What place() says of the map that it has found.
struct PlacedMap {
  std::string objective;  ///< "hop-bytes"
  std::string cost;       ///< "1.375 hops per byte"
  std::string bound;      ///< likewise; no map costs less
  std::optional<double> gap{};
};

/// Subject of a comparison: embeddings, or numbers of processes.
enum class ComparedThing { embedding, process_number };

struct Comparison {
  std::string id{};          ///< equal for equal runs of one scenario
  std::string scenario;      ///< file as given
  std::string machine;       ///< "unit-ring-16 (ring of 16)"
  std::string hop{};         ///< see hop_words()
  std::string network{};     ///< see network_words(); without what `networks` change
  bool has_packets = false;  ///< hops are those of packets
  std::string program;       ///< "cc_dcube"
  std::uint32_t processes = 0;
  std::optional<MakespanBound> bound;
  std::optional<PlacedMap> placed{};  ///< row "placed"
  std::vector<ComparisonRow> rows;
  /// Line that asks for a report of a defect: a run was faster than a bound, which is left out.
  /// Empty: there is none.
  std::string refuted{};
  ComparedThing thing = ComparedThing::embedding;
  bool is_complete = true;              ///< no row is missing because of an interrupt
  bool checks_links = false;            ///< runs under fair links are asked for
  std::vector<Override> settings{};     ///< of all runs, by --set
  std::vector<std::string> networks{};  ///< under which all embeddings are; empty: the scenario's
  /// Numbers of links that fail at random, ascending from 0; empty: none do.
  std::vector<std::uint32_t> failures{};
  std::uint32_t seeds = 0;  ///< draws of each number of failures but 0, with seeds 1 ..

  bool has_several_embeddings() const;
  /// Numbers of failures; 0 alone where no links fail.
  std::vector<std::uint32_t> failure_numbers() const {
    return failures.empty() ? std::vector<std::uint32_t>{0} : failures;
  }
  bool is_scaling() const { return thing == ComparedThing::process_number; }
  /// The fastest of the rows that completed. Ties go to the fewest processes, then to the first.
  /// Null when none completed, or rows are missing.
  const ComparisonRow* best() const;
  /// The same of the rows that there are.
  const ComparisonRow* fastest_so_far() const;
  /// The fastest row under the network of `row` and on its draw of failures, chosen like best().
  const ComparisonRow* best_beside(const ComparisonRow& row) const;
  /// The rows that completed and are nearly as fast as best(), which is one of them.
  std::vector<const ComparisonRow*> winners() const;
  /// The fastest of those that completed and are no winners(); null when there is none.
  const ComparisonRow* runner_up() const;
  bool has_failure() const;

  /// Rows whose times under fair links are not known, although hops of theirs queue.
  bool lacks_fair_links() const;
  /// The fastest row under fair links where best() is not among the winners there; null where it
  /// is, or rows lack their times.
  const ComparisonRow* best_under_fair_links() const;

  /// Part and draws, which all rows with draws share; nothing where there are none.
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
/// The speedup of a row; nothing where it did not complete, took no time or has no t_0.
std::optional<Speedup> speedup_of(const Comparison& comparison, const ComparisonRow& row);

/// Results of an embedding for one number of failed links, over all seeds.
struct Degradation {
  std::string network;  ///< empty where none are compared
  std::string embedding;
  std::uint32_t failures = 0;
  std::uint32_t runs = 0;
  std::vector<std::pair<Outcome, std::uint32_t>> outcomes;  ///< how often each came, most first
  std::uint32_t completed = 0;
  // Makespans of the runs that completed; 0 where none did:
  double mean_s = 0;
  Ticks least{0};
  Ticks greatest{0};
  UInt128 total_ps = 0;  ///< all makespans
  /// mean / makespan without failures; nothing where one of them is missing or takes no time.
  std::optional<double> slowdown;
};

/// Degradations by network and embedding, in the order of their first rows, then by number of
/// failures, ascending.
std::vector<Degradation> degradations(const Comparison& comparison);

/// The degradations of one network and number of failures that completed at all: first those with
/// more completed runs, then those with a smaller mean. None while rows are missing: embeddings
/// would be ranked by how many of their runs are done.
std::vector<Degradation> ranked_under_failures(const Comparison& comparison,
                                               const std::string& network, std::uint32_t failures);

// Columns hold the comparison by reference.

/// Columns that tell a row from the others.
Columns<ComparisonRow> identity_columns(const Comparison& comparison);
/// Column that says how the run ended.
Column<ComparisonRow> outcome_column();
/// Columns of the run's figures, which are missing where it did not end by itself.
Columns<ComparisonRow> figure_columns(const Comparison& comparison);
/// All of these columns in the order of a table for people.
Columns<ComparisonRow> row_columns(const Comparison& comparison);
/// Columns of a row: an embedding on all draws of one number of failed links.
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
/// Returns nothing when no bound says anything. A program whose processes share variables in place
/// of sending messages has no bound. It may get a false one, unless `known_run`, a run of the
/// scenario, shows that the program has sent or computed something else. With `link_work` (roughly
/// multiplications, some 2e9 a second) the busiest link has bounds that take long, too.
std::optional<MakespanBound> makespan_bound(const Scenario& scenario,
                                            const RunReport* known_run = nullptr,
                                            double link_work = 0);
/// The same under the scenario's seed of the jitter and the next ones, which share `link_work`.
/// Empty where one of them has no bound.
std::vector<MakespanBound> makespan_bounds_over_seeds(Scenario& scenario, std::uint32_t seeds,
                                                      double link_work);
/// The first of these bounds, for which nothing is run.
std::optional<MakespanBound> closed_makespan_bound(const Scenario& scenario);

}  // namespace dcube
