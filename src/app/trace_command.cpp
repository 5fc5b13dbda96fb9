#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
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
  DisplayOptions display;
  bool processes = false;
};

void convert(const SummaryOptions& options, const TraceFilter& filter) {
  const std::vector<TraceTarget> targets = trace_targets("--to", options.targets);
  TickingProgress progress{options.display.progress(), fmt::format("converting {}", options.file)};
  convert_trace(options.file, filter, targets, trace_progress(progress));
}

TraceSummary summarise(const SummaryOptions& options, const TraceFilter& filter) {
  TickingProgress progress{options.display.progress(), fmt::format("reading {}", options.file)};
  return summarise_trace(options.file, filter);
}

std::uint64_t shown_processes(const TraceSummary& summary) {
  std::uint64_t count = 0;
  for (std::uint32_t rank = 0; rank < summary.processes.size(); ++rank) {
    count += summary.run.filter.shows(ProcessId{rank}) ? 1 : 0;
  }
  return count;
}

ExitStatus trace(const SummaryOptions& options) {
  exit_on_interrupt();
  const TraceFilter filter = trace_filter(options.filter);
  if (!options.targets.empty()) {
    convert(options, filter);
    return ExitStatus::done;
  }
  const TraceSummary summary = summarise(options, filter);
  if (options.processes) {
    check_table_size(options.display, shown_processes(summary));
  }
  if (options.display.json) {
    print(trace_summary_json(summary, options.display.lists()));
    return ExitStatus::done;
  }
  if (!options.display.quiet) {
    print(trace_summary(options.file, summary));
  }
  if (options.processes) {
    print("\n" + process_times(summary));
  }
  return ExitStatus::done;
}

}  // namespace

void trace_command(CommandLine& line) {
  const auto options = std::make_shared<SummaryOptions>();
  Parser parser =
      line.add("trace", "Summarise a CSV trace, or convert it or a part of it to other formats",
               [options] { return trace(*options); });
  parser.argument("FILE", options->file, "a trace that `dcube run --trace csv:FILE` wrote")
      .required()
      .reads_file();
  const Option to = parser
                        .option("--to", options->targets, "FORMAT:FILE",
                                "write csv, chrome or paje in place of a summary; may be repeated")
                        .writes_file();
  add_trace_filter_options(parser, options->filter);
  Option json = add_display_options(parser, options->display);
  json.excludes(to);
  parser.flag("--processes", options->processes, "add the times of every process")
      .excludes(json)
      .excludes(to);
  parser.examples(
      "dcube run scenarios/quickstart.json --trace csv:run.csv --quiet\n"
      "dcube trace run.csv --processes\n"
      "dcube trace run.csv --to chrome:run.json --window 2s:4s");
}

}  // namespace dcube::app
