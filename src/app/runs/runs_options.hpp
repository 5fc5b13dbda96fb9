#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/options/options.hpp"
#include "app/terminal/progress.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"

namespace dcube::app {

/// Options for making runs.
struct RunsOptions {
  JobsOption jobs;
  TimeLimitOption time_limit;
  std::string shard;
  bool mpi = false;
  std::string records;  ///< a folder; empty: records are not kept

  /// These options for the library, which tells `progress` how many runs are done. Throws
  /// InputError.
  SimulationLimits limits(Progress& progress) const;
  /// Whether this is a rank that rank 0 gives work, and that says nothing itself.
  bool is_worker() const;
};

/// Adds --jobs, --time-limit, --shard and --mpi.
void add_runs_options(Parser& parser, RunsOptions& options);
/// Adds --records, for a command whose output is no folder.
void add_records_option(Parser& parser, RunsOptions& options);

/// Adds --check-links, which holds a ranking against links that serve messages in turn.
void add_check_links_option(Parser& parser, bool& check);
/// The line on a ranking that was not held against them, although hops queue in its fastest runs.
std::string fair_links_not_tried(double queued_share);

/// Refuses what does not fit together. `folder`: where records are kept, as `option` says; empty:
/// nowhere. `scenario`: the file.
void check_runs_options(const RunsOptions& options, const char* option, const std::string& folder,
                        const std::string& scenario);

/// Refuses every option of runs: nothing is simulated.
void refuse_runs_options(const RunsOptions& options, const char* problem);

/// Folder of records below the folder of a command; empty: there is none.
std::filesystem::path records_of(const std::filesystem::path& folder);

/// Refuses a folder that holds the results of another command than `own`, since all name some files
/// alike. Throws InputError at the option.
void refuse_other_results(const char* option, const std::filesystem::path& folder,
                          std::string_view own);

/// "12 of 40 runs are in DIR"
std::string done_in(const std::filesystem::path& folder, std::size_t done, std::size_t all);

/// Whether another command concludes from the runs: after the last shard, or rank 0.
bool is_rest_elsewhere(RunsEnd end, const RunsOptions& options);
/// The status of a command whose runs are not all made by now; says what a shard's next step is.
/// `done`: what done_in() says; empty: not known.
ExitStatus status_of(RunsEnd end, const RunsOptions& options, const DisplayOptions& display,
                     std::string_view done,
                     std::string_view when_all_are = "the same command without --shard");

}  // namespace dcube::app
