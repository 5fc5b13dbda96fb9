#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/report/report_timelines.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/report/page.hpp"
#include "dcube/report/result_file.hpp"
#include "dcube/runs/child_batch.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> files;
  ScenarioRequest scenario;
  std::string output = "report.html";
  bool no_timeline = false;
  std::optional<report::TimeWindow> window;
  JobsOption jobs;
  DisplayOptions display;
};

/// The named files, no file twice.
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
    std::error_code ignored;
    const bool is_missing = fs::symlink_status(name, ignored).type() == fs::file_type::not_found;
    report::NamedFiles named =
        report::read_named(is_missing ? find_scenario(name) : fs::path{name});
    if (!named.left_out.empty()) {
      complain(fmt::format("{}: left out, not being the result of a run: {}", name,
                           joined(named.left_out, ", ")));
    }
    for (report::NamedFile& file : named.files) {
      add(std::move(file));
    }
  }
  return files;
}

/// The file's name alone when that tells the results apart.
std::vector<std::string> names_of(const std::vector<report::NamedFile>& files) {
  const std::vector<std::string> stems =
      mapped(files, [](const auto& file) { return file.path.stem().string(); });
  return std::set<std::string>{stems.begin(), stems.end()}.size() == stems.size()
             ? stems
             : mapped(files, [](const auto& file) { return file.path.string(); });
}

/// Runs the scenarios among the files, each in a process of its own, and puts their results in
/// their place. False when SIGINT has come.
bool simulate_scenarios(std::vector<report::NamedFile>& files, const ReportOptions& options,
                        OutputPlan& plan, const InterruptWatch& interrupt) {
  std::vector<std::function<std::string()>> jobs;
  std::vector<report::NamedFile*> simulated;
  std::uint64_t most_memory = 1;
  for (report::NamedFile& file : files) {
    if (file.kind == report::FileKind::scenario) {
      const InterruptibleReading reading;
      const auto scenario = std::make_shared<Scenario>(
          ScenarioSource{file.path, file.content}.build(options.scenario));
      plan.reads(scenario->inputs);
      most_memory = std::max(most_memory, estimated_memory_bytes(run_size(*scenario)));
      simulated.push_back(&file);
      jobs.emplace_back([scenario, folder = file.path.parent_path()] {
        const RunResult result = run_scenario(*scenario);
        return run_result_json(*scenario, result, ListOutput::when_small, folder);
      });
    }
  }
  refuse_if(jobs.empty() && options.scenario.change_something(), options.files.front(),
            "is no scenario; nothing is simulated, so nothing can be changed (leave out --set, "
            "--ignore, --jitter, --embedding and --hosts)");
  const std::vector<ChildResult> results = run_showing_progress(
      "simulating", jobs, {.at_once = jobs_at_once(options.jobs, most_memory), .timeout = {}},
      interrupt, options.display.progress());
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
  return numbered(files.size(), [&](std::size_t i) {
    return report::ReportedRun{names[i], files[i].path.string(), std::move(files[i].content),
                               files[i].folder};
  });
}

ExitStatus interrupted() {
  complain("interrupted (no page is written)");
  return ExitStatus::interrupted;
}

ExitStatus make_report(const ReportOptions& options) {
  OutputPlan plan{options.display};
  plan.writes("--output", options.output);
  std::vector<report::NamedFile> files = named_files(options.files);
  for (const report::NamedFile& file : files) {
    plan.reads({file.path});
  }
  for (const std::string& name : options.files) {
    plan.reads({name, fs::path{name} / "comparison.json"});
  }
  const InterruptWatch interrupt;
  if (!simulate_scenarios(files, options, plan, interrupt)) {
    return interrupted();
  }
  std::vector<report::ReportedRun> runs = reported_runs(std::move(files));
  if (!options.no_timeline && !add_timelines(runs, options.window, options.jobs, interrupt)) {
    return interrupted();
  }
  const std::string page = report::report_page(runs, DCUBE_VERSION);
  plan.put(options.output, page);
  return plan.finish(options.display.quiet ? ""
                                           : fmt::format("{}: {}, {}\n", options.output,
                                                         counted(runs.size(), "result"),
                                                         readable_bytes(page.size())));
}

}  // namespace

void report_command(CommandLine& line) {
  auto [parser, options] = line.add<ReportOptions>(
      "report", "Show results in one web page: figures, machine, messages, course in time",
      make_report);
  parser
      .argument("RESULT", options->files,
                "results of run and compare (--output), the folder of a comparison, or "
                "scenarios, which are simulated first")
      .required()
      .reads_file();
  add_scenario_changes(parser, options->scenario);
  parser.option("-o,--output", options->output, "FILE", "the page (default: report.html)")
      .writes_file();
  const Option window = add_window_option(
      parser,
      [&window = options->window](Ticks begin, Ticks end) {
        window = {begin, end};
      },
      "show the course of this interval of time alone, in more detail");
  parser
      .flag("--no-timeline", options->no_timeline,
            "leave out the course in time, for which every run is repeated")
      .excludes(window);
  add_jobs_option(parser, options->jobs);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube report scenarios/quickstart.json -o report.html\n"
      "dcube compare scenarios/quickstart.json --output comparison && dcube report comparison");
}

}  // namespace dcube::app
