#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/run/run_trace.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/progress.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/trace/trace_file.hpp"

namespace dcube::app {
namespace {

// --- What a trace tells ---

constexpr std::size_t busiest_links = 5;

std::uint32_t traced_processes(const TraceSummary& summary) {
  std::uint32_t count = 0;
  for (std::uint32_t rank = 0; rank < summary.run.processes; ++rank) {
    count += summary.run.filter.shows(ProcessId{rank}) ? 1 : 0;
  }
  return count;
}

/// Name of a network as in results: "8x8 torus", "ring of 16", "6-dimensional hypercube".
std::string shape_words(const TraceDescription& run) {
  if (run.topology == "hypercube") {
    return fmt::format("{}-dimensional hypercube", run.shape.size());
  }
  return run.shape.size() == 1 ? fmt::format("{} of {}", run.topology, run.shape.front())
                               : fmt::format("{} {}", joined(run.shape, "x"), run.topology);
}

std::string head(const std::string& name, const TraceSummary& summary) {
  const TraceDescription& run = summary.run;
  std::string text =
      printable(fmt::format("{}: {} under {}, {}, on {} ({}): {} at {}", name, run.program,
                            run.embedding, counted(run.processes, "process"), run.machine,
                            shape_words(run), run.outcome, format_time(run.makespan))) +
      "\n";
  if (run.filter.processes) {
    text += fmt::format("only processes {}\n", format_process_ranges(*run.filter.processes));
  }
  if (run.filter.links) {
    text += fmt::format("only links {}\n", format_links(*run.filter.links));
  }
  return text +
         fmt::format("from {} to {}\n", format_time(summary.begin), format_time(summary.end));
}

std::string time_section(const TraceSummary& summary) {
  const double available =
      to_seconds(summary.end - summary.begin) * static_cast<double>(traced_processes(summary));
  using Row = const TraceSummary::ActivityTime&;
  const Columns<TraceSummary::ActivityTime> columns{
      {"where the time went", Shown::text,
       [&](Row time) {
         return fmt::format(
             "  {}", activity_names.at(static_cast<std::size_t>(&time - summary.time.data())));
       }},
      {"intervals", Shown::count, &TraceSummary::ActivityTime::intervals},
      {"total", Shown::time, &TraceSummary::ActivityTime::total_s},
      {"longest", Shown::time, &TraceSummary::ActivityTime::longest},
      {"share", Shown::share,
       [=](Row time) { return available > 0 ? time.total_s / available : 0; }}};
  return text_table(columns, summary.time).text();
}

std::string message_line(const TraceSummary& summary) {
  std::string text =
      fmt::format("{}, {}, the longest under way for {}; {}",
                  counted(summary.run.messages, "message"), readable_bytes(summary.bytes),
                  format_time(summary.longest_flight), counted(summary.run.hops, "hop"));
  text += summary.queued_hops == 0
              ? ", none queued"
              : fmt::format(", {} queued for {} in all", grouped(summary.queued_hops),
                            readable_seconds(summary.queued_s));
  return text + "\n";
}

std::string links_section(const TraceSummary& summary) {
  if (summary.links.empty()) {
    return {};
  }
  const double window_s = to_seconds(summary.end - summary.begin);
  using Row = const TraceSummary::LinkUse&;
  const Columns<TraceSummary::LinkUse> columns{
      {"busiest links", Shown::text,
       [](Row link) {
         return "  " + link.name + (link.links > 1 ? fmt::format(" ({} links)", link.links) : "");
       }},
      {summary.run.packet_bytes ? "packets" : "messages", Shown::count,
       &TraceSummary::LinkUse::messages},
      {"busy", Shown::share,
       [=](Row link) { return window_s > 0 ? to_seconds(link.busy) / window_s : 0; }},
      {"queued", Shown::count, &TraceSummary::LinkUse::queued},
      {"for, in all", Shown::figure, [](Row link) { return readable_seconds(link.queued_s); }},
      {"longest", Shown::exact_time, &TraceSummary::LinkUse::longest_queue}};
  return "\n" + text_table(columns, first_of(summary.links, busiest_links)).text();
}

/// `is_blocked`: the run ended while the process waited.
std::string cause(const TraceSummary::Wait& wait, bool is_blocked) {
  if (wait.message) {
    return fmt::format("message {} of process {}", wait.message->send_number,
                       wait.message->source.index());
  }
  const std::string who =
      wait.peer == wait.process ? "others" : fmt::format("process {}", wait.peer.index());
  return who + (is_blocked ? ", for ever" : " to be ready");
}

std::string waits_section(const TraceSummary& summary) {
  if (summary.longest_waits.empty()) {
    return "\nnobody waits\n";
  }
  using Row = const TraceSummary::Wait&;
  const Columns<TraceSummary::Wait> columns{
      {"longest waits", Shown::text,
       [](Row wait) { return fmt::format("  process {}", wait.process.index()); }},
      {"for", Shown::text,
       [&](Row wait) {
         return cause(wait, summary.run.outcome == to_string(Outcome::deadlock) &&
                                wait.end == summary.run.makespan);
       }},
      {"stage", Shown::figure,
       [](Row wait) { return wait.stage == no_stage ? CellValue{} : CellValue{wait.stage}; }},
      {"from", Shown::exact_time, &TraceSummary::Wait::begin},
      {"to", Shown::exact_time, &TraceSummary::Wait::end},
      {"time", Shown::exact_time, [](Row wait) { return wait.end - wait.begin; }}};
  return "\n" + text_table(columns, summary.longest_waits).text();
}

/// Summary of a trace for people; `name`: of its file.
std::string trace_summary(const std::string& name, const TraceSummary& summary) {
  return fmt::format("{}\n{}{}{}\n{}", head(name, summary), time_section(summary),
                     links_section(summary), waits_section(summary), message_line(summary));
}

/// Process by process: where its time went, and its messages.
std::string process_times(const TraceSummary& summary) {
  const auto shown = kept(numbered<std::size_t>(summary.processes.size()), [&](std::size_t rank) {
    return summary.run.filter.shows(ProcessId{static_cast<std::uint32_t>(rank)});
  });
  const auto of = [&](auto member) {
    return [&summary, member](std::size_t rank) { return summary.processes[rank].*member; };
  };
  using Time = TraceSummary::ProcessTime;
  Columns<std::size_t> columns{{"process", Shown::figure, [](std::size_t rank) { return rank; }},
                               {"node", Shown::figure, [&](std::size_t rank) {
                                  const std::vector<NodeId>& map = summary.run.map;
                                  return rank < map.size() ? CellValue{map[rank].index()}
                                                           : CellValue{};
                                }}};
  for (std::size_t activity = 0; activity < activity_count; ++activity) {
    columns.push_back(
        {activity_names.at(activity), Shown::exact_time, [&summary, activity](std::size_t rank) {
           return summary.processes[rank].by_activity.at(activity);
         }});
  }
  columns.push_back({"longest wait", Shown::exact_time, of(&Time::longest_wait)});
  columns.push_back({"sent", Shown::count, of(&Time::sent)});
  columns.push_back({"received", Shown::count, of(&Time::received)});
  return text_table(columns, shown).text();
}

// --- The command ---

struct SummaryOptions {
  std::string file;
  OutputOptions outputs;
  TraceFilter filter;
  DisplayOptions display;
  bool processes = false;
};

/// The traces to write; everything else that is asked for is the summary as JSON.
std::vector<TraceTarget> planned_traces(const SummaryOptions& options, OutputPlan& plan,
                                        std::vector<std::filesystem::path>& results) {
  plan.reads({options.file});
  std::vector<TraceTarget> targets;
  for (const NamedOutput& output : plan.writes(options.outputs)) {
    if (const TraceFormat* format = find_kind(trace_catalog(), output.kind)) {
      targets.push_back({format, output.file});
    } else {
      results.push_back(output.file);
    }
  }
  return targets;
}

void convert(const SummaryOptions& options, const std::vector<TraceTarget>& targets) {
  TickingProgress progress{options.display.progress(), fmt::format("converting {}", options.file)};
  convert_trace(options.file, options.filter, targets, trace_progress(progress));
}

TraceSummary summarise(const SummaryOptions& options) {
  TickingProgress progress{options.display.progress(), fmt::format("reading {}", options.file)};
  return summarise_trace(options.file, options.filter);
}

ExitStatus trace(const SummaryOptions& options) {
  exit_on_interrupt();
  OutputPlan plan{options.display};
  if (options.processes) {
    plan.prints("--processes");
  }
  std::vector<std::filesystem::path> results;
  const std::vector<TraceTarget> targets = planned_traces(options, plan, results);
  const bool is_shown = targets.empty() || options.display.json || options.processes;
  if (!targets.empty()) {
    convert(options, targets);
    if (!is_shown && results.empty()) {
      return ExitStatus::done;
    }
  }
  const TraceSummary summary = summarise(options);
  if (options.processes) {
    check_table_size(options.display, traced_processes(summary));
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
  auto [parser, options] = line.add<SummaryOptions>(
      "trace", "Summarise a CSV trace, or convert it or a part of it to other formats", trace);
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
