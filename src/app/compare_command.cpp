#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/compare/compared_numbers.hpp"
#include "app/compare/comparison_folder.hpp"
#include "app/compare/comparison_tables.hpp"
#include "app/compare/pictures.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/report/report_timelines.hpp"
#include "app/run/run_trace.hpp"
#include "app/runs/runs_options.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/file_text.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/report/page.hpp"
#include "dcube/report/result_file.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "questions/compare/comparison_runs.hpp"
#include "runs/execute.hpp"

namespace dcube::app {
namespace {

struct CompareOptions {
  CompareRequest request;
  std::vector<std::string> process_numbers;
  std::vector<std::string> failures;
  std::optional<std::uint32_t> seeds;
  std::optional<std::uint64_t> jitter_part;
  RunsOptions runs;
  std::string output;
  OutputOptions outputs;
  DisplayOptions display;
  bool no_pictures = false;
  bool no_report = false;
  bool force = false;
};

/// Above this number of processes a chart of every process says little.
constexpr std::uint32_t most_charted_processes = 64;

/// Traces the processes of a run to a CSV file.
class RunTracer final : public RunWatcher {
 public:
  RunTracer(const std::filesystem::path& file, const Scenario& scenario)
      : scenario_{scenario},
        recorder_{trace_recorder({.processes = {}, .links = std::vector<LinkEnds>{}},
                                 {{find_kind(trace_catalog(), "csv"), file}}, scenario)} {}

  Observer& observer() override { return *recorder_; }
  void finish(const RunResult& result) override {
    write_trace(*recorder_, scenario_, result, ListOutput::when_small, ProgressOutput::off);
  }

 private:
  const Scenario& scenario_;
  std::unique_ptr<TraceRecorder> recorder_;
};

/// A comparison that grows by a row with every run that ends, and the files that it is kept in.
class Report {
 public:
  Report(const CompareOptions& options, ComparisonRuns& runs) : options_{options}, runs_{runs} {
    for (const ComparedRun& run : runs_.runs()) {
      plan_.reads({run.options.embedding, run.options.hosts});
      if (run.scenario) {
        plan_.reads(run.scenario->inputs);
      }
    }
    if (!options.output.empty()) {
      open_folder();
    }
  }

  const Comparison& comparison() const { return runs_.comparison(); }
  /// Whether a file of the comparison could not be written.
  bool has_lost_files() const { return has_lost_files_; }
  OutputPlan& plan() { return plan_; }

  /// Takes all records of the store, whichever command made them.
  void take_all(RunStore& store) {
    for (std::size_t run = 0; run < store.run_count(); ++run) {
      if (const RunRecord* const record = store.record(run)) {
        runs_.take(*record);
      }
    }
  }

  /// Takes the record and lists the run's files, so that a comparison that is killed keeps them.
  void add(const RunRecord& record) {
    const ComparedRun& run = runs_.take(record);
    if (!run.lost.empty()) {
      lose(run.lost);
    }
    write_list();
  }

  /// A full disk loses files, but not the comparison. Complains of the first that is lost.
  void lose(std::string_view problem) {
    if (!std::exchange(has_lost_files_, true)) {
      complain(problem);
    }
  }

  /// Writes the tables when all runs have ended, or after an interrupt.
  void write_tables() {
    put_tables();
    if (!folder_) {
      return;
    }
    const std::vector<std::pair<std::filesystem::path, std::string>> files{
        {folder_->path("comparison.txt"), comparison_table(comparison())},
        {folder_->path("comparison.csv"), comparison_csv(comparison())},
        {folder_->path("comparison.json"), comparison_json(comparison())}};
    keep([&] { write_together(files); });
  }

  /// Complains of runs that did not complete, of several draws of failures only of the first with
  /// each outcome.
  void complain_of_failures() const {
    std::set<std::tuple<std::string, std::string, std::uint32_t, Outcome>> told;
    for (const ComparedRun& run : runs_.runs()) {
      const ComparisonRow& row = run.row;
      const bool is_told =
          row.failures > 0 &&
          !told.emplace(row.network, row.embedding, row.failures, row.outcome).second;
      if (run.has_ended && row.outcome != Outcome::completed && !is_told) {
        const std::string number =
            comparison().is_scaling() ? ": " + counted(row.processes, "process") : "";
        const std::string network =
            row.network.empty() ? std::string{} : fmt::format(" ({})", row.network);
        const std::string failures =
            row.failures == 0
                ? std::string{}
                : fmt::format(" ({}, seed {})", counted(row.failures, "failed link"), row.seed);
        const std::string more =
            row.figures ? "; more by dcube run " + quoted_arguments(run.options) : std::string{};
        complain(fmt::format("{}: {}{}{}{}: {} ({}{})", comparison().scenario, row.embedding,
                             network, failures, number, to_string(row.outcome), row.problem, more));
      }
    }
  }

  /// A page of all runs but those on draws of failures; false when an interrupt has come.
  bool add_page(const InterruptWatch& interrupt) {
    std::vector<report::ReportedRun> reported;
    report::ReportedComparison compared{.verdict = comparison_verdict(comparison())};
    const Columns<ComparisonRow> columns = row_columns(comparison());
    for (const ComparedRun& run : runs_.runs()) {
      const ComparisonRow& row = run.row;
      if (row.failures > 0) {
        continue;
      }
      if (row.result.empty()) {
        compared.others.push_back({reported.size() + compared.others.size(), runs_.label(run),
                                   to_string(row.outcome), row.problem, page_cells(columns, row)});
        continue;
      }
      const std::filesystem::path file = folder_->path(row.result);
      reported.push_back({runs_.label(run), row.result,
                          report::read_result(file_text(file), file.string()), file.parent_path()});
      reported.back().cells = page_cells(columns, row);
    }
    if (reported.empty()) {
      return true;
    }
    if (!add_timelines(reported, std::nullopt, options_.runs.jobs, interrupt)) {
      return false;
    }
    plan_.put(folder_->path("index.html"), report::report_page(reported, DCUBE_VERSION, compared));
    return true;
  }

 private:
  void open_folder() {
    using Replacement = ComparisonFolder::Replacement;
    folder_.emplace(options_.output, runs_.cases().id(),
                    options_.force ? Replacement::forced : Replacement::refused);
    std::vector<std::string> names{"comparison.txt", "comparison.csv", "comparison.json"};
    if (!options_.no_report) {
      names.emplace_back("index.html");
    }
    for (const ComparedRun& run : runs_.runs()) {
      names.push_back(ComparisonRuns::result_of(runs_.label(run)));
      if (run.watch) {
        names.push_back(ComparisonRuns::trace_of(runs_.label(run)));
      }
    }
    folder_->plan(plan_, names);
    if (folder_->is_replaced()) {
      write_list();  // before what it no longer names is removed
      folder_->remove_replaced();
    }
  }

  /// Outside the folder, tables name no files in it.
  void put_tables() {
    Comparison alone = comparison();
    for (ComparisonRow& row : alone.rows) {
      row.result.clear();
      row.trace.clear();
    }
    for (const NamedOutput& output : outputs_) {
      plan_.put(output.file, output.kind == "json"  ? comparison_json(alone)
                             : output.kind == "csv" ? comparison_csv(alone)
                                                    : comparison_table(alone));
    }
  }

  /// Says which runs the folder holds. A shard leaves that to the command that has them all.
  void write_list() {
    if (folder_ && options_.runs.shard.empty()) {
      keep([&] { write_file(folder_->path("comparison.json"), comparison_json(comparison())); });
    }
  }

  void keep(const std::function<void()>& write) {
    try {
      write();
    } catch (const InputError& error) {
      lose(error.what());
    }
  }

  const CompareOptions& options_;
  ComparisonRuns& runs_;
  OutputPlan plan_{options_.display};
  const std::vector<NamedOutput> outputs_ = plan_.writes(options_.outputs);
  std::optional<ComparisonFolder> folder_;
  bool has_lost_files_ = false;
};

/// Makes the page and pictures of a complete comparison's folder. Returns what an interrupt has
/// left out; empty: nothing.
std::string left_out(const CompareOptions& options, Report& report,
                     const InterruptWatch& interrupt) {
  if (options.output.empty()) {
    return {};
  }
  if (!options.no_report && !report.add_page(interrupt)) {
    return "index.html is not written";
  }
  if (!options.no_pictures && draw_pictures(options.output, interrupt) == ExitStatus::interrupted) {
    return "pictures are not drawn";
  }
  return {};
}

CompareRequest request_of(const CompareOptions& options) {
  CompareRequest request = options.request;
  request.process_numbers = process_numbers(options.process_numbers);
  if (!options.failures.empty()) {
    request.failures = failure_numbers(options.failures);
  }
  refuse_if(
      options.seeds && request.failures.empty() && options.jitter_part == 0, "--seeds",
      "says how many samples of failed links or computing times there are (with --jitter 0 and "
      "without --failures there are none)");
  if (options.seeds) {
    request.seeds = request.jitter_draws = *options.seeds;
  }
  if (options.jitter_part) {
    request.ties = *options.jitter_part > 0 ? TieCheck::always : TieCheck::never;
    request.jitter_part = options.jitter_part;
  } else if (options.seeds && request.failures.empty()) {
    request.ties = TieCheck::always;
  }
  return request;
}

/// The runs asked for, and the files that each leaves.
std::unique_ptr<ComparisonRuns> chosen_runs(const CompareOptions& options) {
  CompareRequest request = request_of(options);
  const ReadingProgress progress{options.display.progress()};
  request.scenario.on_reading = progress.listener();
  auto runs = std::make_unique<ComparisonRuns>(std::move(request));
  if (!options.output.empty()) {
    runs->keep_files(
        options.output,
        [&](const ComparisonRow& row) {
          return !options.no_pictures && row.failures == 0 &&
                 row.processes <= most_charted_processes;
        },
        [](const std::filesystem::path& file, const Scenario& scenario) {
          return std::make_unique<RunTracer>(file, scenario);
        });
  }
  return runs;
}

const char* things_of(const ComparisonRuns& runs) {
  const CompareRequest& request = runs.request();
  return request.process_numbers.empty() && request.networks.empty() && request.failures.empty()
             ? "embeddings"
             : "runs";
}

ExitStatus compare(const CompareOptions& options) {
  check_runs_options(options.runs, "--output", options.output, options.request.scenario.file);
  const std::unique_ptr<ComparisonRuns> runs = chosen_runs(options);
  Progress progress{options.display.progress(), fmt::format("comparing {}", things_of(*runs))};
  const SimulationLimits limits = options.runs.limits(progress);
  if (options.runs.is_worker()) {
    return status_of(work_for_rank_0(runs->cases(), limits, InterruptWatch{}), options.runs,
                     options.display, {});
  }
  Report report{options, *runs};
  const Comparison& comparison = report.comparison();
  const InterruptWatch interrupt;
  RunStore store{runs->cases(), records_of(options.output), "--output"};
  store.outlive_folder([&](const InputError& error) { report.lose(error.what()); });
  report.take_all(store);
  const RunsEnd end = make_runs(runs->cases(), store, limits, interrupt,
                                [&](const RunRecord& record) { report.add(record); });
  if (end == RunsEnd::shard_is_done) {
    return status_of(end, options.runs, options.display,
                     done_in(options.output, store.done_count(), store.run_count()));
  }
  report.take_all(store);
  report.write_tables();
  const std::string missing = comparison.is_complete
                                  ? left_out(options, report, interrupt)
                                  : fmt::format("{} of {} {} done", comparison.rows.size(),
                                                runs->runs().size(), things_of(*runs));
  const ExitStatus written = report.plan().finish(options.display.shown(
      [&] { return comparison_json(comparison); }, [&] { return comparison_table(comparison); }));
  report.complain_of_failures();
  complain_once(comparison.refuted);
  if (!missing.empty()) {
    complain(fmt::format("{}: interrupted ({})", comparison.scenario, missing));
    return ExitStatus::interrupted;
  }
  const bool has_unusable_input = std::ranges::any_of(
      runs->runs(), [](const ComparedRun& run) { return run.has_unusable_input; });
  if (written != ExitStatus::done || report.has_lost_files() || has_unusable_input) {
    return ExitStatus::unusable_input;
  }
  return comparison.has_failure() ? ExitStatus::experiment_failed : ExitStatus::done;
}

}  // namespace

void compare_command(CommandLine& line) {
  auto [parser, options] = line.add<CompareOptions>(
      "compare",
      "Simulate a scenario under several embeddings or on several numbers of processes "
      "and say which wins",
      compare);
  add_scenario_argument(parser, options->request.scenario).required();
  add_scenario_changes(parser, options->request.scenario, options->request.embeddings);
  parser.flag("--axis-orders", options->request.axis_orders,
              "compare every order of the axes of the program, the first counting fastest");
  parser.option(
      "--place", options->request.place, "OBJECTIVE",
      "also compare the map that dcube place finds by this objective (hop-bytes, makespan, "
      "..), and say how far it is from a bound");
  const Option processes =
      parser.list("--process-count,--processes", options->process_numbers, "N[,N..]",
                  "numbers of processes to compare, under the scenario's embedding or each of "
                  "--embedding");
  Option failures = parser.list("--failures", options->failures, "N[,N..]",
                                "numbers of links to fail, drawn at random: how much slower does "
                                "every embedding become?");
  failures.excludes(processes);
  parser.option(
      "--seeds", options->seeds, failure_seeds, "N",
      "samples of each number of failed links (default: 10), and of computing times (default: "
      "20, or as many as are cheap)");
  parser.option(
      "--jitter", options->jitter_part, parse_jitter_part, "AMPLITUDE",
      "run everything again with computing times that vary by up to this relative amplitude, and "
      "say which embeddings are tie-sensitive (default: 1e-6 where that is cheap; 0: do not)");
  parser
      .list("--network,--switching", options->request.networks, "NAME[,NAME..]",
            "networks to compare every embedding under: store_and_forward, cut_through, fluid "
            "(flow-level, SimGrid's links: fluid:CM02 or fluid:LV08)")
      .excludes(processes);
  add_check_links_option(parser, options->request.check_links);
  add_runs_options(parser, options->runs);
  parser.option("-o,--output", options->output, "FOLDER",
                "write the comparison as text, JSON and CSV, every result, pictures and a report "
                "page (index.html) here");
  options->outputs.add_write(parser, {{"json"}, {"csv"}, {"text"}});
  parser.flag("--force", options->force, "replace another comparison in the output folder");
  parser.flag("--no-pictures", options->no_pictures, "draw no pictures into the output folder");
  parser.flag("--no-report", options->no_report,
              "write no index.html, for which every run is repeated");
  parser
      .flag("--why", options->request.explains,
            "also say what the critical path of every run goes on")
      .excludes(failures);
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube compare scenarios/quickstart.json --embedding standard,xor\n"
      "dcube compare scenarios/training-step-512.json --axis-orders --place link-time\n"
      "dcube compare scenarios/ring-cc_dcube-gray.json --network store_and_forward,fluid\n"
      "dcube compare scenarios/quickstart.json --failures 1,2,4 --seeds 5\n"
      "dcube compare scenarios/hypercube-knapsack-ncube.json --process-count 1,2,4,8,16 --output "
      "knapsack");
}

}  // namespace dcube::app
