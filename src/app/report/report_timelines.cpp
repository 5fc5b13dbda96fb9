#include "report_timelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "app/terminal/output.hpp"
#include "core/child_message.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/engine/simulator.hpp"
#include "dcube/report/result_file.hpp"
#include "dcube/runs/child_batch.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "report/link_bytes.hpp"
#include "report/machine_view.hpp"

namespace dcube::app {
namespace {

// Limits of a page, which keep it below 10 MB.
constexpr std::size_t most_intervals = 200'000;
constexpr std::size_t most_hops = 60'000;

/// Pairs of processes on links: more are not told apart. They take some 60 MB.
constexpr std::size_t most_pairs_on_links = 1'000'000;

/// Estimated memory of a record of causes above which none is made.
constexpr std::uint64_t most_causes_bytes = std::uint64_t{1} << 28;
/// Length limit of lists in an explanation.
constexpr std::size_t most_listed_causes = 2000;

/// Runs the scenario of a result again, in this process. The child sends the fingerprint, whether
/// the timeline has single hops, the explanation, the bytes over links and the timeline.
std::string repeat(const report::ReportedRun& run, report::TimeWindow window,
                   report::TimelineLimits limits) {
  Scenario scenario = report::scenario_of(run);
  const Drawing drawing = draw_machine(*scenario.machine->topology, *scenario.run_machine->topology,
                                       scenario.run_machine->links.duplex);
  if (!shows_lines(drawing)) {
    limits.hops = 0;  // messages have no lines to move along
  }
  report::Timeline timeline{scenario, drawing, window, limits};
  ObserverList observers;
  observers.add(timeline);
  report::LinkBytes link_bytes{scenario, drawing, most_pairs_on_links};
  observers.add(link_bytes);
  const std::uint32_t processes = run_size(scenario).processes;
  std::optional<CausalRecord> causes;
  if (!scenario.run_machine->fluid &&
      CausalRecord::estimated_bytes(processes, scenario.program->stage_count()) <=
          most_causes_bytes) {
    observers.add(causes.emplace(processes, scenario.run_machine->links));
  }
  const RunResult result = run_scenario(scenario, observers.observer(), {}, Findings::report);
  std::string explanation;
  if (causes) {
    explanation = run_explanation_json(scenario, explain_run(scenario, *causes, result.report),
                                       most_listed_causes);
  }
  return sent(result.report.fingerprint, timeline.has_hops(), explanation, link_bytes.json(),
              timeline.json());
}

/// The part of a run that is shown. Throws InputError where that is nothing.
report::TimeWindow shown_window(const report::ReportedRun& run,
                                const std::optional<report::TimeWindow>& window) {
  const Ticks makespan = report::makespan_of(run.result);
  refuse_if(window && window->begin >= makespan, "", "it ends before the window of time begins");
  refuse_if(run.result.group("machine").positive_int("nodes") > report::most_drawn_nodes, "",
            "its machine has more than {}", counted(report::most_drawn_nodes, "node"));
  return window ? report::TimeWindow{window->begin, std::min(window->end, makespan)}
                : report::TimeWindow{Ticks{0}, makespan};
}

void note_difference(report::ReportedRun& run, std::uint64_t fingerprint) {
  const std::string repeated = fmt::format("{:016x}", fingerprint);
  const std::string reported = run.result.group("simulation").text("fingerprint");
  if (repeated == reported) {
    return;
  }
  const std::string difference = fmt::format(
      "repeated, the run differs: its fingerprint is {} instead of {} (an input file or the "
      "program may have changed since)",
      repeated, reported);
  complain(fmt::format("{}: {}", run.file, difference));
  run.notes.push_back("What is shown of its course may not fit its figures: " + difference + ".");
}

void note_no_course(report::ReportedRun& run, const std::string& why) {
  complain(fmt::format("{}: its course in time is not shown: {}", run.file, why));
  run.notes.push_back(fmt::format("Its course in time is not shown: {}.", why));
}

void take(report::ReportedRun& run, const ChildResult& child) {
  if (child.end != ChildEnd::finished) {
    note_no_course(run, fmt::format("the run could not be repeated: {}", child.problem));
    return;
  }
  ChildReader message{child.output};
  note_difference(run, message.read<std::uint64_t>());
  run.shows_messages = message.read<bool>();
  if (std::string explanation = message.read_text(); !explanation.empty()) {
    run.explanation = std::move(explanation);
  }
  if (std::string link_bytes = message.read_text(); !link_bytes.empty()) {
    run.link_bytes = std::move(link_bytes);
  }
  run.timeline = message.read_text();
}

}  // namespace

bool add_timelines(std::vector<report::ReportedRun>& runs,
                   const std::optional<report::TimeWindow>& window, const JobsOption& jobs_option,
                   const InterruptWatch& interrupt) {
  const report::TimelineLimits limits{most_intervals / runs.size(), most_hops / runs.size()};
  std::vector<std::function<std::string()>> jobs;
  std::vector<report::ReportedRun*> repeated;
  std::uint64_t most_memory = 1;
  for (report::ReportedRun& run : runs) {
    if (report::makespan_of(run.result) == Ticks{0}) {
      run.notes.emplace_back("It takes no time, so it has no course.");  // nothing is missing
      continue;
    }
    try {
      const report::TimeWindow shown = shown_window(run, window);
      most_memory =
          std::max(most_memory, estimated_memory_bytes(run_size(report::scenario_of(run))));
      repeated.push_back(&run);
      jobs.emplace_back([&run, limits, shown] { return repeat(run, shown, limits); });
    } catch (const InputError& error) {
      note_no_course(run, error.what());
    }
  }
  const std::vector<ChildResult> results = run_showing_progress(
      "repeating runs for their course in time", jobs,
      {.at_once = jobs_at_once(jobs_option, most_memory), .timeout = {}}, interrupt);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].end == ChildEnd::interrupted) {
      return false;
    }
    take(*repeated[i], results[i]);
  }
  return true;
}

std::vector<ChildResult> run_showing_progress(std::string_view what,
                                              const std::vector<std::function<std::string()>>& jobs,
                                              const BatchLimits& limits,
                                              const InterruptWatch& interrupt,
                                              ProgressOutput output) {
  if (!jobs.empty()) {
    load_simulator();
  }
  Progress progress{output, what};
  return run_in_children(jobs, limits, interrupt, [&](std::size_t ended) {
    progress.show(fmt::format("{} of {} done", ended, jobs.size()));
  });
}

}  // namespace dcube::app
