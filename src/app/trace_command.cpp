#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/run/run_trace.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/trace/trace_summary.hpp"
#include "command.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube::app {
namespace {

struct SummaryOptions {
  std::string file;
  std::vector<std::string> targets;
  TraceFilterOptions filter;
  bool processes = false;
  bool json = false;
  bool full = false;
  bool quiet = false;
};

void convert(const SummaryOptions& options, const TraceFilter& filter) {
  const std::vector<TraceTarget> targets = trace_targets("--to", options.targets);
  TickingProgress progress{options.quiet ? ProgressOutput::off : ProgressOutput::on_terminal,
                           fmt::format("converting {}", options.file)};
  convert_trace(options.file, filter, targets, trace_progress(progress));
}

TraceSummary summarise(const SummaryOptions& options, const TraceFilter& filter) {
  TickingProgress progress{options.quiet ? ProgressOutput::off : ProgressOutput::on_terminal,
                           fmt::format("reading {}", options.file)};
  return summarise_trace(options.file, filter);
}

ExitStatus trace(const SummaryOptions& options) {
  exit_on_interrupt();
  const TraceFilter filter = trace_filter(options.filter);
  if (!options.targets.empty()) {
    convert(options, filter);
    return ExitStatus::done;
  }
  const TraceSummary summary = summarise(options, filter);
  if (options.json) {
    print(trace_summary_json(summary, options.full ? ListOutput::always : ListOutput::when_small));
    return ExitStatus::done;
  }
  print(trace_summary(options.file, summary));
  if (options.processes) {
    print("\n" + process_times(summary, options.full ? summary.processes.size() : most_listed));
  }
  return ExitStatus::done;
}

}  // namespace

Command trace_command(CLI::App& app) {
  const auto options = std::make_shared<SummaryOptions>();
  CLI::App* parser = app.add_subcommand(
      "trace", "Summarise a CSV trace, or convert it or a part of it to other formats");
  parser->add_option("FILE", options->file, "a trace that `dcube run --trace csv:FILE` wrote")
      ->required()
      ->type_name("");
  CLI::Option* to =
      parser
          ->add_option("--to", options->targets,
                       "write csv, chrome or paje in place of a summary; may be repeated")
          ->type_name("FORMAT:FILE")
          ->allow_extra_args(false);
  add_trace_filter_options(*parser, options->filter);
  CLI::Option* processes =
      parser->add_flag("--processes", options->processes, "add the times of every process");
  CLI::Option* json = parser->add_flag("--json", options->json, "print the summary as JSON");
  json->excludes(processes)->excludes(to);
  processes->excludes(to);
  parser->add_flag("--full", options->full, "print lists and tables whatever their size");
  parser->add_flag("--quiet", options->quiet, "show no progress");
  parser->footer(
      "Example:\n"
      "  dcube run scenarios/quickstart.json --trace csv:run.csv --quiet\n"
      "  dcube trace run.csv --processes\n"
      "  dcube trace run.csv --to chrome:run.json --trace-window 2s:4s");
  return {parser, [options] { return trace(*options); }};
}

}  // namespace dcube::app
