#include "run_work.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/scenario/run.hpp"
#include "key.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// What the run read besides the files that all keys of the study depend on.
std::vector<std::pair<std::string, std::string>> files_beyond(const Study& study,
                                                              const Scenario& scenario) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::path& file : scenario.inputs) {
    std::error_code ignored;
    if (!std::ranges::binary_search(study.inputs(), file) && fs::is_regular_file(file, ignored)) {
      files.emplace_back(file.string(), content_key(file));
    }
  }
  return files;
}

/// Without names of functions that are no use to who reads it.
std::string reason(const InputError& error) {
  return error.place().empty() ? error.problem() : error.what();
}

}  // namespace

RunRecord failed_run(const Study& study, std::size_t run, Outcome outcome, std::string problem) {
  return {.run = run, .key = study.key(run), .outcome = outcome, .problem = std::move(problem)};
}

RunRecord make_run(const Study& study, std::size_t run) {
  try {
    Scenario scenario = study.build(run);
    const RunReport report = run_scenario(scenario, nullptr, {}, Findings::report).report;
    const MeasuredRun measured = measured_run(scenario, report);
    RunRecord record{.run = run,
                     .key = study.key(run),
                     .outcome = report.outcome,
                     .problem = {},
                     .makespan = report.makespan,
                     .fingerprint = report.fingerprint};
    if (report.outcome == Outcome::deadlock) {
      record.problem = "processes wait for messages that nobody sends";
    } else if (report.outcome == Outcome::not_verified) {
      record.problem = "the answer is wrong";
    } else if (report.outcome == Outcome::unreachable) {
      record.problem = "failures have cut a message off from its destination";
    }
    record.values =
        mapped(measure_catalog(), [&](const Measure& measure) { return measure.value(measured); });
    record.more_files = files_beyond(study, scenario);
    return record;
  } catch (const MemoryError& error) {
    return failed_run(study, run, Outcome::refused, error.what());
  } catch (const InputError& error) {
    return failed_run(study, run, Outcome::refused, reason(error));
  }
}

}  // namespace dcube
