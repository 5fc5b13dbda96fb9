#include "runs_options.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "app/terminal/output.hpp"
#include "core/counted.hpp"
#include "core/file_names.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/show/readable.hpp"
#include "runs/mpi.hpp"

namespace dcube::app {
namespace {

bool is_rank(const RunsOptions& options) { return options.mpi || is_one_of_several_ranks(); }

Shard chosen_shard(const std::string& shard) {
  if (shard.empty()) {
    return {};
  }
  const auto parts = split_at(shard, '/');
  const auto index = parsed<std::size_t>(parts.front());
  const auto count = parts.size() == 2 ? parsed<std::size_t>(parts.back()) : std::nullopt;
  refuse_if(!index || !count || *count == 0, "--shard", "{} is not a shard (I/N, such as 3/64)",
            Setting{shard}.describe());
  refuse_if(*index == 0 || *index > *count, "--shard",
            "there is no shard {} of {} (they count from 1 to {}; for a job array: --array=1-{})",
            *index, *count, *count, *count);
  return {*index - 1, *count};
}

}  // namespace

SimulationLimits RunsOptions::limits(Progress& progress) const {
  return {.at_once = jobs,
          .timeout = time_limit,
          .on_progress =
              [&progress](std::size_t done, std::size_t all) {
                progress.show(fmt::format("{} of {} done", grouped(done), counted(all, "run")));
              },
          .records = records,
          .shard = chosen_shard(shard),
          .mpi = is_rank(*this)};
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

void add_check_links_option(Parser& parser, bool& check) {
  parser.flag("--check-links", check,
              "say which is fastest where links serve packets of all messages in turn (default: "
              "where that is cheap)");
}

std::string fair_links_not_tried(double queued_share) {
  return fmt::format("fair links: not tried (up to {} of the hops queue; --check-links tries)\n",
                     percent(queued_share));
}

void check_runs_options(const RunsOptions& options, const char* option, const std::string& folder,
                        const std::string& scenario) {
  refuse_if(is_rank(options) && !options.shard.empty(), "--shard",
            "does not go with MPI, which shares the runs by itself");
  refuse_if(is_rank(options) && scenario == standard_input, "-",
            "standard input reaches rank 0 alone (name a file)");
  refuse_if(chosen_shard(options.shard).count > 1 && folder.empty(), "--shard",
            "needs a folder in which the parts meet ({} FOLDER)", option);
}

void refuse_runs_options(const RunsOptions& options, const char* problem) {
  const std::array<std::pair<const char*, bool>, 5> given{
      {{"--jobs", options.jobs.has_value()},
       {"--time-limit", options.time_limit.has_value()},
       {"--shard", !options.shard.empty()},
       {"--mpi", options.mpi},
       {"--records", !options.records.empty()}}};
  for (const auto& [option, is_given] : given) {
    refuse_if(is_given, option, "{}", problem);
  }
}

std::filesystem::path records_of(const std::filesystem::path& folder) {
  return folder.empty() ? folder : folder / "records";
}

void refuse_other_results(const char* option, const std::filesystem::path& folder,
                          std::string_view own) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> results{
      {{"compare", "comparison.json"}, {"collective", "collective.json"}, {"sweep", "study.json"}}};
  for (const auto& [command, file] : results) {
    std::error_code ignored;
    refuse_if(command != own && std::filesystem::exists(folder / file, ignored), option,
              "{} holds results of dcube {} ({}); name another folder", folder.string(), command,
              file);
  }
}

std::string done_in(const std::filesystem::path& folder, std::size_t done, std::size_t all) {
  return fmt::format("{} of {} are in {}", grouped(done), counted(all, "run"), folder.string());
}

bool is_rest_elsewhere(RunsEnd end, const RunsOptions& options) {
  return end == RunsEnd::shard_is_done || options.is_worker();
}

ExitStatus status_of(RunsEnd end, const RunsOptions& options, const DisplayOptions& display,
                     std::string_view done, std::string_view when_all_are) {
  if (end == RunsEnd::shard_is_done && !display.quiet) {
    const Shard shard = chosen_shard(options.shard);
    print(fmt::format("shard {} of {} is done{} (when all are: {})\n", shard.index + 1, shard.count,
                      done.empty() ? "" : fmt::format("; {}", done), when_all_are));
  }
  return end == RunsEnd::interrupted ? ExitStatus::interrupted : ExitStatus::done;
}

}  // namespace dcube::app
