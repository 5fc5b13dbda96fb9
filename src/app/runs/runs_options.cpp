#include "runs_options.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "runs/execute.hpp"
#include "runs/mpi.hpp"

namespace dcube::app {
namespace {

bool is_rank(const RunsOptions& options) {
  return !options.is_alone && (options.mpi || is_one_of_several_ranks());
}

}  // namespace

Shard RunsOptions::chosen_shard() const {
  if (shard.empty()) {
    return {};
  }
  const auto parts = split_at(shard, '/');
  const auto index = parsed<std::size_t>(parts.front());
  const auto count = parts.size() == 2 ? parsed<std::size_t>(parts.back()) : std::nullopt;
  refuse_if(!index || !count, "--shard", "{} is not a shard (I/N, such as 3/64)",
            Setting{shard}.describe());
  refuse_if(*count == 0 || *index == 0 || *index > *count, "--shard",
            "there is no shard {} of {} (they count from 1 to {}; for a job array: --array=1-{})",
            *index, *count, *count, *count);
  return {*index - 1, *count};
}

RunsOptions RunsOptions::alone() const {
  RunsOptions options = *this;
  options.shard.clear();
  options.is_alone = true;
  return options;
}

bool RunsOptions::is_worker() const { return is_rank(*this) && rank_in_environment() > 0; }

void add_runs_options(Parser& parser, RunsOptions& options) {
  add_jobs_option(parser, options.jobs);
  add_time_limit_option(parser, options.time_limit, "stop a simulation after this time");
  Option shard = parser.option("--shard", options.shard, "I/N",
                               "make the I-th of N parts of the runs (for job arrays)");
  parser.flag("--mpi", options.mpi, "share the runs among the ranks of mpirun (noticed by itself)")
      .excludes(shard);
}

void add_records_option(Parser& parser, RunsOptions& options) {
  parser.option("--records", options.records, "FOLDER",
                "keep what came of every run here; the same command goes on where it was ended");
}

void check_runs_options(const RunsOptions& options, const std::string& folder,
                        const std::string& scenario) {
  refuse_if(is_rank(options) && !options.shard.empty(), "--shard",
            "does not go with MPI, which shares the runs by itself");
  refuse_if(is_rank(options) && scenario == "/dev/stdin", "-",
            "standard input reaches rank 0 alone (name a file)");
  refuse_if(options.chosen_shard().count > 1 && folder.empty(), "--shard",
            "needs a folder in which the parts meet (--output FOLDER, or --records FOLDER)");
}

ExitStatus work_for_rank_0(const Cases& cases, const RunsOptions& options) {
  const InterruptWatch interrupt;
  MpiRanks ranks;
  const ExecutionLimits limits{.timeout = options.time_limit};
  if (!execute_with(ranks, cases, nullptr, limits, interrupt, {})) {
    return ExitStatus::interrupted;
  }
  ranks.finish();
  return ExitStatus::done;
}

std::filesystem::path records_of(const std::filesystem::path& folder) {
  return folder.empty() ? folder : folder / "records";
}

RunsEnd make_runs(const Cases& cases, RunStore& store, const RunsOptions& options,
                  const InterruptWatch& interrupt, std::string_view what, ProgressOutput output,
                  std::function<void(const RunRecord&)> on_record) {
  Progress progress{output, what};
  const auto show = [&](const RunsProgress& how_far) {
    progress.show(
        fmt::format("{} of {} done", grouped(how_far.done), counted(how_far.total, "run")));
  };
  const ExecutionLimits limits{jobs_at_once(options.jobs, cases.largest_run_bytes()),
                               options.time_limit, options.chosen_shard(), std::move(on_record)};
  bool is_whole = false;
  if (is_rank(options)) {
    MpiRanks ranks;
    is_whole = execute_with(ranks, cases, &store, limits, interrupt, show);
    if (is_whole) {
      ranks.finish();
    }
  } else {
    is_whole = execute(cases, store, limits, interrupt, show);
  }
  if (!is_whole) {
    return RunsEnd::interrupted;
  }
  store.refresh();
  return store.is_complete() || limits.shard.count == 1 ? RunsEnd::complete
                                                        : RunsEnd::shard_is_done;
}

MadeRuns made_runs(const Cases& cases, const RunsOptions& options, const InterruptWatch& interrupt,
                   std::string_view what, ProgressOutput output) {
  const std::filesystem::path folder =
      options.records.empty() ? std::filesystem::path{}
                              : std::filesystem::path{options.records} / cases.id().substr(0, 8);
  RunStore store{cases, folder, "--records"};
  MadeRuns made{.end = make_runs(cases, store, options, interrupt, what, output), .records = {}};
  for (std::size_t run = 0; run < store.run_count(); ++run) {
    const RunRecord* const record = store.record(run);
    made.records.push_back(record != nullptr ? std::optional{*record} : std::nullopt);
  }
  if (made.end == RunsEnd::shard_is_done) {
    print(told_of_shard(options, store, options.records, "the same command without --shard"));
  }
  return made;
}

std::string told_of_shard(const RunsOptions& options, const RunStore& store,
                          const std::filesystem::path& folder, std::string_view when_all_are) {
  const Shard shard = options.chosen_shard();
  return fmt::format("shard {} of {} is done; {} of {} are in {} (when all are: {})\n",
                     shard.index + 1, shard.count, grouped(store.done_count()),
                     counted(store.run_count(), "run"), folder.string(), when_all_are);
}

}  // namespace dcube::app
