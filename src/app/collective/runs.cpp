#include "runs.hpp"

#include <functional>
#include <utility>

#include "app/terminal/child_progress.hpp"
#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/run.hpp"
#include "runs/child_batch.hpp"
#include "runs/child_message.hpp"

namespace dcube::app {
namespace {

struct SentFigures {
  Outcome outcome = Outcome::refused;
  Ticks makespan{0};
  std::uint64_t fingerprint = 0;
  std::uint32_t ports = 0;
};

/// Keeps what a child has sent, or how it ended.
void keep(CollectiveRow& row, const ChildResult& result) {
  if (result.end != ChildEnd::finished) {
    row.outcome = outcome_of(result.end);
    row.problem = result.problem;
    return;
  }
  ChildReader message{result.output};
  const auto figures = message.read<SentFigures>();
  row.outcome = figures.outcome;
  row.makespan = figures.makespan;
  row.fingerprint = figures.fingerprint;
  row.ports = figures.ports;
  row.problem = message.read_text();
  row.algorithm = message.read_text();
}

}  // namespace

std::string CollectiveRuns::simulate_in_child(const TimeRequest& request) const {
  try {
    Scenario scenario = collective_scenario(question_, subject_, ways_[request.way], request.bytes);
    const RunReport report = run_scenario(scenario, nullptr, {}, Findings::report).report;
    const Params answer = scenario.program->answer();
    const SentFigures figures{report.outcome, report.makespan, report.fingerprint,
                              answer.positive_int("ports")};
    return sent(figures, std::string{}, answer.text("algorithm"));
  } catch (const InputError& error) {  // the place is in a scenario that nobody has written
    return sent(SentFigures{}, error.problem(), std::string{});
  }
}

bool CollectiveRuns::simulate(std::string_view what, std::span<const TimeRequest> requests) {
  std::vector<TimeRequest> missing;
  for (const TimeRequest& request : requests) {
    const CollectiveWay& way = ways_[request.way];
    const auto [place, is_new] = rows_.try_emplace(
        request, CollectiveRow{request.way, request.bytes, Outcome::refused, way.refusal});
    if (is_new && way.refusal.empty()) {
      missing.push_back(request);
    }
  }
  const auto jobs = mapped(missing, [this](const TimeRequest& request) {
    return std::function<std::string()>{[this, request] { return simulate_in_child(request); }};
  });
  if (jobs.empty()) {
    return true;
  }
  const std::vector<ChildResult> results = run_showing_progress(
      what, jobs, {.at_once = at_once_, .life = ChildLife::many_jobs}, interrupt_, progress_);
  bool is_whole = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].end == ChildEnd::interrupted) {
      rows_.erase(missing[i]);
      is_whole = false;
    } else {
      keep(rows_.at(missing[i]), results[i]);
    }
  }
  return is_whole;
}

std::vector<CollectiveRow> CollectiveRuns::rows() const {
  return mapped(rows_, [](const auto& entry) { return entry.second; });
}

}  // namespace dcube::app
