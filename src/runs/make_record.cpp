#include "dcube/runs/make_record.hpp"

#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/runs/measures.hpp"

namespace dcube {
namespace {

/// Reason why the run has no result that counts; empty: it has one.
std::string problem_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return {};
    case Outcome::deadlock:
      return "processes wait for messages that nobody sends";
    case Outcome::not_verified:
      return "the answer is wrong";
    case Outcome::unreachable:
      return "failures have cut a message off from its destination";
    default:
      return to_string(outcome);
  }
}

/// The complaint as text, with its place only if it has one.
std::string reason(const InputError& error) {
  return error.place().empty() ? error.problem() : error.what();
}

}  // namespace

RunRecord record_of(const Scenario& scenario, const RunReport& report) {
  const MeasuredRun measured = measured_run(scenario, report);
  return {.outcome = report.outcome,
          .problem = problem_of(report.outcome),
          .makespan = report.makespan,
          .fingerprint = report.fingerprint,
          .values = mapped(measure_catalog(),
                           [&](const Measure& measure) { return measure.value(measured); })};
}

RunRecord run_record(Scenario& scenario, RunProgress progress) {
  const RunResult result = run_scenario(scenario, nullptr, std::move(progress), Findings::report);
  return record_of(scenario, result.report);
}

RunRecord failed_run(const Cases& cases, std::size_t run, Outcome outcome, std::string problem) {
  return {.run = run, .key = cases.key(run), .outcome = outcome, .problem = std::move(problem)};
}

RunRecord made_record(const Cases& cases, std::size_t run, const std::function<RunRecord()>& make) {
  try {
    RunRecord record = make();
    record.run = run;
    record.key = cases.key(run);
    return record;
  } catch (const MemoryError& error) {
    RunRecord record = failed_run(cases, run, Outcome::refused, reason(error));
    record.lacked_memory = true;
    return record;
  } catch (const InputError& error) {
    return failed_run(cases, run, Outcome::refused, reason(error));
  }
}

}  // namespace dcube
