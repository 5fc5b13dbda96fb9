#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/causal_record.hpp"
#include "dcube/trace/critical_path.hpp"
#include "dcube/trace/overlap.hpp"
#include "dcube/trace/waiting_causes.hpp"

namespace dcube {

/// Why a run took as long as it did.
struct RunExplanation {
  CriticalPath path;
  WaitingCauses waiting;
  Overlap overlap;
};

/// The source of a theory that is a second run, with links on which no message queues.
inline constexpr std::string_view run_without_contention = "the program without contention";
/// The source of a theory that is the run itself: nothing queued, so a second run would be the
/// same.
inline constexpr std::string_view run_in_which_nothing_queued =
    "this run, in which no message queued";

/// The engine's report of a run, and the figures that results print beside it.
struct RunResult {
  RunReport report;
  std::optional<bool> verified;
  /// The program's own formula, or else the program without contention where the run completed. A
  /// second run for that is made only of small runs: see run_scenario().
  std::optional<Theory> theory;
  std::optional<Ticks> sequential_time;  ///< see sequential_time_of()
  // Maxima by stage; empty where the program repeats its stages.
  std::vector<std::uint32_t> stage_dilation_max;   ///< longest route of a message
  std::vector<std::uint64_t> stage_link_load_max;  ///< most messages over one link
  std::optional<RunExplanation> explanation;       ///< where it was asked for: see explain_run()
};

/// The node of each process of a run, the host computer's last where the program uses it.
std::vector<NodeId> run_map(const Scenario& scenario);

/// The size of the run, which decides how much memory run_scenario() takes.
RunSize run_size(const Scenario& scenario);

/// Extent of run_scenario(): the report and the answer, or also the maxima by stage, or also
/// `theory`, for which the program may be run a second time.
enum class Findings { report, stages, all };

/// Whether the stages of the program have names, so that results tell what each costs. Not where
/// stages times processes are more than 2^22.
bool has_phases(const Scenario& scenario);

/// Runs the scenario in this process (see simulate()) and checks its answer. Throws MemoryError
/// before it starts when the run cannot fit.
///
/// Where messages queued and the program has no formula, a second run without contention gives
/// `theory`. It is made when the first had at most 10^6 hops, 10^6 processes and 64 MiB of data.
RunResult run_scenario(Scenario& scenario, Observer* observer = nullptr, RunProgress progress = {},
                       Findings findings = Findings::all);

/// Whether a program with this report can be made anew and run again in little time: it has at most
/// 10^6 hops, 10^6 processes and 64 MiB of data, and none of its files is gone.
bool is_repeatable(const Scenario& scenario, const RunReport& report);

/// A scenario that is run again and again in this process, each time with its processes on other
/// nodes. What does not depend on the map is built and checked once; the program forgets its
/// runs or is made anew from its settings, so that no run sees what another has left.
class RepeatedRuns {
 public:
  /// Throws MemoryError when a run cannot fit.
  explicit RepeatedRuns(Scenario scenario);
  /// `progress` hears of every run from now on, as in run_scenario().
  void on_progress(RunProgress progress) { progress_ = std::move(progress); }

  /// Simulates and checks the answer: what run_scenario() reports with Findings::report. `map`: the
  /// node of each process, without a host computer's. Throws what simulate() throws, and InputError
  /// when a file that the program reads has become unusable.
  RunReport run(std::vector<NodeId> map);
  /// Runs under `jitter`, which stays for later runs.
  RunReport run(std::vector<NodeId> map, const Jitter& jitter);

 private:
  Scenario scenario_;
  bool has_run_ = false;
  RunProgress progress_;
};

/// Makes the program anew, as it is before any run.
void renew_program(Scenario& scenario);

/// A run in which no message is delayed and none crosses more than one link: see
/// Transport::contention_free. Every instant of a run is a sum or a maximum of earlier instants and
/// message times, as long as the program does not act by the times at which messages arrive. So no
/// map makes the program faster than this. A process ends where it may act by them (`heeds_time` is
/// set then), others where they wait for it in vain. Returns nothing where the run fails or does
/// not complete for other reasons, or where it has more than 10^6 messages or processes or takes
/// more than 256 MiB of data. Makes the program anew. `observer` is told of the run; whether the
/// run counts is known at its end.
std::optional<RunReport> contention_free_run(const Scenario& scenario,
                                             Observer* observer = nullptr);

/// Throws InputError, at --why, for a machine whose runs have no hops to explain.
void expect_explicable(const Machine& machine);

/// Explains a run of the scenario that `record` observed.
RunExplanation explain_run(const Scenario& scenario, const CausalRecord& record,
                           const RunReport& report);

/// Ring of a deadlock: processes of which each awaits the next, and the last the first. Empty when
/// there is no such ring (somebody awaits a process that has ended).
std::vector<ProcessId> waiting_cycle(const RunReport& report);

}  // namespace dcube
