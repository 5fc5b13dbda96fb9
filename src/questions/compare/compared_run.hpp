#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "dcube/questions/compare.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube {

/// Settings of the draws of a run that show whether it rests on ties.
struct TieDraws {
  TieCheck check = TieCheck::never;
  std::uint64_t part = 0;   ///< see Jitter
  std::uint32_t draws = 0;  ///< most draws; with seeds 1 ..
  std::uint32_t runs = 1;   ///< of the comparison, which share these limits

  /// Makes the runs, in this process. Nothing when they are not to be made, the first run did not
  /// complete, or the program cannot be made again.
  std::optional<SpreadUnderJitter> look(const Scenario& scenario, const RunReport& report) const;
};

/// Watches a run in the process that makes it, and leaves what it has seen in a file.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual Observer& observer() = 0;
  /// Completes the file after the run. Throws InputError when it cannot be written.
  virtual void finish(const RunResult& result) = 0;
};

/// A simulation to make for a comparison, and its result.
struct ComparedRun {
  ScenarioRequest options;
  ComparisonRow row;                   ///< its row in the comparison
  std::shared_ptr<Scenario> scenario;  ///< null: it cannot be built, or is not yet
  /// Builds the scenario in the process that runs it, where there are too many to hold them all.
  /// Throws InputError.
  std::function<Scenario()> build{};
  /// Whether the program, which the runs may share, has run in this process: a child makes several.
  std::shared_ptr<bool> has_program_run{};
  std::uint64_t memory_bytes = 0;  ///< about what it takes
  std::uint64_t causes_bytes = 0;  ///< about what an explanation takes besides
  bool is_explained = false;       ///< its critical path is looked for
  std::filesystem::path result{};  ///< the file that its result is written to; empty: none
  std::filesystem::path trace{};   ///< the file that its watcher writes; empty: there is none
  /// Throws InputError when the file cannot be opened.
  std::function<std::unique_ptr<RunWatcher>(const Scenario&)> watch{};
  TieDraws ties{};
  /// Packets times hops that the run under fair links may have; nothing: it is not made.
  std::optional<std::uint64_t> most_fair_steps{};
  bool is_bounded = false;  ///< the bound of the comparison is looked for

  // Result of the run.
  bool has_ended = false;           ///< or cannot even begin
  bool has_unusable_input = false;  ///< known only after the run
  std::string lost{};               ///< why a file of it is missing
  std::optional<MakespanBound> bound{};

  bool can_run() const { return scenario != nullptr || build != nullptr; }
  /// Name of its files.
  std::string label(ComparedThing thing) const;

  /// The run as a case of a list, which must not outlive this.
  CaseList::Case as_case(ComparedThing thing) const;
  /// Keeps the result.
  void take(const RunRecord& record);
};

/// `scenario` is what `options` describe.
ComparedRun compared_run(const ScenarioRequest& options, Scenario scenario);
/// A run like `built`, with about its memory, whose scenario is built when it runs. `options`
/// describe the scenario.
ComparedRun later_run(const ComparedRun& built, const ScenarioRequest& options,
                      std::shared_ptr<const ScenarioSource> source);
/// A run that cannot be: the embedding does not fit.
ComparedRun refused_run(const ScenarioRequest& options, const InputError& refusal);

}  // namespace dcube
