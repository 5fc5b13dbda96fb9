#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dcube/questions/compare.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/scenario/run.hpp"
#include "ties.hpp"

namespace dcube {

/// Watches a run in the process that makes it, and leaves what it has seen in a file.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual Observer& observer() = 0;
  /// After the run. Throws InputError when the file cannot be written.
  virtual void finish(const RunResult& result) = 0;
};

/// A simulation to make for a comparison, and what came of it.
struct ComparedRun {
  ScenarioRequest options;
  ComparisonRow row;                   ///< what the comparison shows of it
  std::shared_ptr<Scenario> scenario;  ///< null: it cannot be built, or is not yet
  /// Builds the scenario in the process that runs it, where there are too many to hold them all.
  /// Throws InputError.
  std::function<Scenario()> build{};
  std::uint64_t memory_bytes = 0;  ///< about what it takes
  std::uint64_t causes_bytes = 0;  ///< about what an explanation takes besides
  bool is_explained = false;       ///< its critical path is looked for
  std::filesystem::path result{};  ///< the file that its result is written to; empty: none
  std::filesystem::path trace{};   ///< the file that its watcher writes; empty: there is none
  /// Throws InputError when the file cannot be opened.
  std::function<std::unique_ptr<RunWatcher>(const Scenario&)> watch{};
  TieDraws ties{};
  bool is_bounded = false;  ///< the bound of the comparison is looked for

  // What came of it.
  bool has_ended = false;           ///< or cannot even begin
  bool has_unusable_input = false;  ///< which only running it has shown
  std::string lost{};               ///< why a file of it is missing
  std::optional<MakespanBound> bound{};

  bool can_run() const { return scenario != nullptr || build != nullptr; }
  /// What its files are called.
  std::string label(ComparedThing thing) const;

  /// What a list of cases has of it, which must not outlive it.
  CaseList::Case as_case(ComparedThing thing) const;
  /// Keeps what came of it.
  void take(const RunRecord& record);
};

/// `scenario` is what `options` describe.
ComparedRun compared_run(const ScenarioRequest& options, Scenario scenario);
/// The same run as `built`, which takes about as much memory, of a scenario that is built when it
/// runs. `options` describe it.
ComparedRun later_run(const ComparedRun& built, const ScenarioRequest& options,
                      std::shared_ptr<const ScenarioSource> source);
/// A run that cannot be: the embedding does not fit.
ComparedRun refused_run(const ScenarioRequest& options, const InputError& refusal);

}  // namespace dcube
