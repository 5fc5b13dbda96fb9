#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/runs/cases.hpp"
#include "dcube/runs/limits.hpp"
#include "runs/store.hpp"

namespace dcube::app {

/// How a command makes its runs.
struct RunsOptions {
  JobsOption jobs;
  TimeLimitOption time_limit;
  std::string shard;
  bool mpi = false;
  std::string records;    ///< a folder; empty: records are not kept
  bool is_alone = false;  ///< neither ranks nor shards take part

  /// For runs that follow from others, and so are made by one command.
  RunsOptions alone() const;

  /// Throws InputError.
  Shard chosen_shard() const;
  /// Whether this is a rank that rank 0 gives work, and that says nothing itself.
  bool is_worker() const;
};

/// Adds --jobs, --time-limit, --shard and --mpi.
void add_runs_options(Parser& parser, RunsOptions& options);
/// Adds --records, for a command whose output is no folder.
void add_records_option(Parser& parser, RunsOptions& options);

/// Refuses what does not fit together. `folder`: where records are kept; empty: nowhere.
/// `scenario`: the file.
void check_runs_options(const RunsOptions& options, const std::string& folder,
                        const std::string& scenario);

/// Makes runs for rank 0 until it has no more.
ExitStatus work_for_rank_0(const Cases& cases, const RunsOptions& options);

/// Where the folder of a command keeps the records of its runs; empty: there is none.
std::filesystem::path records_of(const std::filesystem::path& folder);

/// How far the runs have come.
enum class RunsEnd { complete, shard_is_done, interrupted };

/// Makes the runs that the store lacks, alone or with other ranks, and shows how many are done.
/// `what`: "sweeping". `on_record` is told of each that is made here or by a rank.
RunsEnd make_runs(const Cases& cases, RunStore& store, const RunsOptions& options,
                  const InterruptWatch& interrupt, std::string_view what, ProgressOutput output,
                  std::function<void(const RunRecord&)> on_record = {});

/// What came of the runs of a question.
struct MadeRuns {
  RunsEnd end = RunsEnd::complete;
  std::vector<std::optional<RunRecord>> records;  ///< by run; nothing: not made
};
/// Makes the runs that the folder of --records lacks, which may hold those of many questions, and
/// gives all. Says it when a shard is done.
MadeRuns made_runs(const Cases& cases, const RunsOptions& options, const InterruptWatch& interrupt,
                   std::string_view what, ProgressOutput output);

/// "shard 2 of 4 is done; 12 of 40 runs are in DIR (when all are: dcube ..)"
std::string told_of_shard(const RunsOptions& options, const RunStore& store,
                          const std::filesystem::path& folder, std::string_view when_all_are);

}  // namespace dcube::app
