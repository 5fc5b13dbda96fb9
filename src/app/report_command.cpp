#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/children/child_batch.hpp"
#include "app/options/options.hpp"
#include "app/report/report_timelines.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "command.hpp"
#include "dcube/trace/filter.hpp"
#include "report/page.hpp"
#include "report/result_file.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> files;
  std::string output = "report.html";
  bool no_timeline = false;
  std::string window;
  std::string jobs;
};

report::TimeWindow window_option(const std::string& text) {
  const auto [begin, end] = at("--timeline-window", [&] { return parse_window(text); });
  return {begin, end};
}

/// The files that somebody named, no file twice.
std::vector<report::NamedFile> named_files(const std::vector<std::string>& names) {
  std::vector<report::NamedFile> files;
  std::set<fs::path> known;
  const auto add = [&](report::NamedFile file) {
    std::error_code ignored;
    if (known.insert(fs::weakly_canonical(file.path, ignored)).second) {
      files.push_back(std::move(file));
    }
  };
  for (const std::string& name : names) {
    report::NamedFiles named = report::read_named(name);
    if (!named.left_out.empty()) {
      complain(fmt::format("{}: left out, not being the result of a run: {}", name,
                           fmt::join(named.left_out, ", ")));
    }
    for (report::NamedFile& file : named.files) {
      add(std::move(file));
    }
  }
  return files;
}

/// The file's name alone when that tells the results apart.
std::vector<std::string> names_of(const std::vector<report::NamedFile>& files) {
  std::vector<std::string> stems;
  std::vector<std::string> paths;
  for (const report::NamedFile& file : files) {
    stems.push_back(file.path.stem().string());
    paths.push_back(file.path.string());
  }
  return std::set<std::string>{stems.begin(), stems.end()}.size() == stems.size() ? stems : paths;
}

/// Runs the scenarios among the files, each in a process of its own, and puts their results in
/// their place. False when SIGINT has come.
bool simulate_scenarios(std::vector<report::NamedFile>& files, const std::string& jobs_text,
                        const InterruptWatch& interrupt) {
  std::vector<std::function<std::string()>> jobs;
  std::vector<report::NamedFile*> simulated;
  std::uint64_t most_memory = 1;
  for (report::NamedFile& file : files) {
    if (file.kind == report::FileKind::scenario) {
      const Scenario scenario = load_scenario(file.path);
      most_memory = std::max(most_memory, estimated_memory_bytes(run_size(scenario)));
      simulated.push_back(&file);
      jobs.emplace_back([&file] {
        Scenario run = load_scenario(file.path);
        const RunResult result = run_scenario(run);
        return run_result_json(run, result);
      });
    }
  }
  Progress progress{ProgressOutput::on_terminal, "simulating"};
  const std::vector<ChildResult> results = run_in_children(
      jobs, {.at_once = jobs_option(jobs_text, most_memory), .timeout = {}}, interrupt,
      [&](std::size_t done) { progress.show(fmt::format("{} of {} done", done, jobs.size())); });
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].end == ChildEnd::interrupted) {
      return false;
    }
    if (results[i].end != ChildEnd::finished) {
      throw InputError(simulated[i]->path.string(), results[i].problem);
    }
    simulated[i]->content = report::read_result(results[i].output, simulated[i]->path.string());
    simulated[i]->kind = report::FileKind::result;
  }
  return true;
}

std::vector<report::ReportedRun> reported_runs(std::vector<report::NamedFile> files) {
  const std::vector<std::string> names = names_of(files);
  std::vector<report::ReportedRun> runs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    runs.push_back(
        {names[i], files[i].path.string(), std::move(files[i].content), files[i].folder});
  }
  return runs;
}

ExitStatus interrupted() {
  complain("interrupted (no page is written)");
  return ExitStatus::interrupted;
}

ExitStatus make_report(const ReportOptions& options) {
  check_output_folder(options.output);
  TimelineOptions timeline{.window = std::nullopt, .jobs = options.jobs};
  if (!options.window.empty()) {
    timeline.window = window_option(options.window);
  }
  std::vector<report::NamedFile> files = named_files(options.files);
  const InterruptWatch interrupt;
  if (!simulate_scenarios(files, options.jobs, interrupt)) {
    return interrupted();
  }
  std::vector<report::ReportedRun> runs = reported_runs(std::move(files));
  if (!options.no_timeline && !add_timelines(runs, timeline, interrupt)) {
    return interrupted();
  }
  const std::string page = report::report_page(runs, DCUBE_VERSION);
  write_file(options.output, page);
  print(fmt::format("{}: {}, {}\n", options.output, counted(runs.size(), "result"),
                    readable_bytes(page.size())));
  return ExitStatus::done;
}

}  // namespace

Command report_command(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* parser = app.add_subcommand(
      "report", "Show results in one web page: figures, machine, messages, course in time");
  parser
      ->add_option("RESULT", options->files,
                   "results of run and compare (--output), the folder of a comparison, or "
                   "scenarios, which are simulated first")
      ->required()
      ->type_name("");
  parser->add_option("-o,--output", options->output, "the page (default: report.html)")
      ->type_name("FILE");
  CLI::Option* no_timeline = parser->add_flag("--no-timeline", options->no_timeline,
                                              "leave out the course in time, for which every run "
                                              "is repeated");
  parser
      ->add_option("--timeline-window", options->window,
                   "show the course of this stretch of time alone, in more detail")
      ->type_name("BEGIN:END")
      ->excludes(no_timeline);
  add_jobs_option(*parser, options->jobs);
  parser->footer(
      "Examples:\n  dcube report scenarios/quickstart.json -o report.html\n"
      "  dcube compare scenarios/quickstart.json --output comparison && dcube report comparison");
  return {parser, [options] { return make_report(*options); }};
}

}  // namespace dcube::app
