#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/run/run_trace.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/trace/trace_summary.hpp"
#include "command.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube::app {
namespace {

struct SummaryOptions {
  std::string file;
  OutputOptions outputs;
  TraceFilterOptions filter;
  DisplayOptions display;
  bool processes = false;
};

/// The traces to write; everything else that is asked for is the summary as JSON.
std::vector<TraceTarget> planned_traces(const SummaryOptions& options, OutputPlan& plan,
                                        std::vector<std::filesystem::path>& results) {
  plan.reads({options.file});
  std::vector<TraceTarget> targets;
  for (const NamedOutput& output : options.outputs.named()) {
    plan.writes(output.option, output.file);
    if (const TraceFormat* format = find_kind(trace_catalog(), output.kind)) {
      targets.push_back({format, output.file});
    } else {
      results.push_back(output.file);
    }
  }
  return targets;
}

void convert(const SummaryOptions& options, const TraceFilter& filter,
             const std::vector<TraceTarget>& targets) {
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
  OutputPlan plan;
  std::vector<std::filesystem::path> results;
  const std::vector<TraceTarget> targets = planned_traces(options, plan, results);
  const bool is_shown = targets.empty() || options.display.json || options.processes;
  if (!targets.empty()) {
    convert(options, filter, targets);
    if (!is_shown && results.empty()) {
      return ExitStatus::done;
    }
  }
  const TraceSummary summary = summarise(options, filter);
  if (options.processes) {
    check_table_size(options.display, shown_processes(summary));
  }
  const std::string json = trace_summary_json(summary, options.display.lists());
  for (const std::filesystem::path& file : results) {
    plan.put(file, json);
  }
  std::string text;
  if (options.display.json) {
    text = json;
  } else if (is_shown && !options.display.quiet) {
    text = trace_summary(options.file, summary);
  }
  if (options.processes) {
    text += "\n" + process_times(summary);
  }
  return plan.finish(text);
}

}  // namespace

void trace_command(CommandLine& line) {
  const auto options = std::make_shared<SummaryOptions>();
  Parser parser =
      line.add("trace", "Summarise a CSV trace, or convert it or a part of it to other formats",
               [options] { return trace(*options); });
  parser.argument("FILE", options->file, "a trace that `dcube run --write csv:FILE` wrote")
      .required()
      .reads_file();
  std::vector<OutputKind> kinds = kinds_of(trace_catalog());
  kinds.push_back({"result"});
  options->outputs.add_main(parser, "result", "write the summary as JSON");
  options->outputs.add_write(parser, std::move(kinds));
  options->outputs.add_old_spelling(parser, "--to");
  add_trace_filter_options(parser, options->filter);
  const Option json = add_display_options(parser, options->display);
  parser.flag("--processes", options->processes, "add the times of every process").excludes(json);
  parser.examples(
      "dcube run scenarios/quickstart.json --write csv:run.csv --quiet\n"
      "dcube trace run.csv --processes\n"
      "dcube trace run.csv --write chrome:run.json --window 2s:4s");
}

}  // namespace dcube::app
