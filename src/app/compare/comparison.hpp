#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube::app {

/// What a comparison shows of one run. Trivially copyable, so that it can cross a pipe as it is.
struct RunFigures {
  Outcome outcome = Outcome::completed;
  Ticks makespan{0};
  double average_dilation = 0;
  std::uint32_t longest_dilation = 0;
  double waiting_share = 0;  ///< mean waiting of a process / makespan
  std::uint64_t max_link_load = 0;
  std::uint64_t queued_hops = 0;
  std::uint64_t fingerprint = 0;
  std::optional<Ticks> sequential_time{};  ///< see Program::sequential_time()
  /// What the critical path goes on, by CauseKind; nothing unless asked for.
  std::optional<std::array<Ticks, cause_kinds>> critical_path{};
};

struct ComparisonRow {
  std::string embedding;
  Outcome outcome = Outcome::completed;
  std::string problem;                ///< why it failed; empty when completed
  std::optional<RunFigures> figures;  ///< nothing when the run did not end by itself
  std::uint32_t processes = 0;
  std::string network{};  ///< "fluid", where networks are compared, too
  // In the folder of results, where they were written:
  std::string result{};  ///< "runs/xor.json"
  std::string trace{};   ///< "runs/xor-trace.csv"
};

/// A time that no embedding can beat, and the theorem behind it.
struct MakespanBound {
  double makespan_s = 0;
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
  ComparedThing thing = ComparedThing::embedding;
  bool is_complete = true;              ///< no row is missing because of an interrupt
  std::vector<Override> settings{};     ///< of all runs, by --set
  std::vector<std::string> networks{};  ///< under which all embeddings are; empty: the scenario's

  bool is_scaling() const { return thing == ComparedThing::process_number; }
  /// The fastest of the rows that completed. Of equals it is the one with the fewest processes,
  /// then the first. Null when none completed.
  const ComparisonRow* best() const;
  /// The same of the rows under one network.
  const ComparisonRow* best_under(const std::string& network) const;
  /// The fastest of those slower than best(); null when there is none.
  const ComparisonRow* runner_up() const;
  bool has_failure() const;
};

/// Speedup t_0 / t_k and efficiency speedup / k [N 4]. Every row has its t_k; t_0 is what the
/// program says of one process, or else the run of one process under the same embedding.
struct Speedup {
  double speedup = 0;
  double efficiency = 0;
};
/// Nothing for a row that did not complete, took no time or has nothing to be compared with.
std::optional<Speedup> speedup_of(const Comparison& comparison, const ComparisonRow& row);

/// For the CC d-cube algorithm with one compute time and one hop cost: every stage's computing, and
/// the least mean distance between partners that an embedding can have. Nothing otherwise.
std::optional<MakespanBound> makespan_bound(const Scenario& scenario);

/// For people: a title, the table and a sentence that says which embedding wins, by how much and
/// why, or which number of processes takes the shortest time. Where critical paths were looked for,
/// a table and a sentence on what they go on follow.
std::string comparison_table(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

}  // namespace dcube::app
