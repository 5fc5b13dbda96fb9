#include "fit_runs.hpp"

#include <algorithm>
#include <cstdint>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/runs/scenario_request.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube {

Params FitRuns::document_of(const Run& run) const {
  Params document = cases_[run.first].document;
  for (std::size_t i = 0; i < run.second.size(); ++i) {
    document = with_value(document, pointers_[i], run.second[i]);
  }
  return document;
}

bool FitRuns::simulate(const std::vector<std::size_t>& rows, const std::vector<FitTexts>& values) {
  std::vector<Run> missing;
  std::uint64_t memory_bytes = 1;
  for (const FitTexts& texts : values) {
    for (const std::size_t row : rows) {
      if (!records_.contains({row, texts})) {
        missing.emplace_back(row, texts);
        memory_bytes = std::max(memory_bytes, cases_[row].memory_bytes);
      }
    }
  }
  std::ranges::sort(missing);
  const auto repeated = std::unique(missing.begin(), missing.end());
  missing.erase(repeated, missing.end());
  if (missing.empty()) {
    return true;
  }
  const CaseList cases{
      "fit",
      mapped(missing,
             [&](const Run& run) {
               return CaseList::Case{
                   .identity = json_text(Setting{document_of(run)}),
                   .manner = {},
                   .make = [this, run] {
                     try {
                       Scenario scenario = ScenarioSource{"scenario", document_of(run)}.build({});
                       return record_of(
                           scenario, run_scenario(scenario, nullptr, {}, Findings::report).report);
                     } catch (const InputError& error) {
                       throw InputError("", fit_problem(error));
                     }
                   }};
             }),
      memory_bytes};
  CaseRecords made = run_cases(cases, limits_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (made.records[i]) {
      records_.emplace(std::move(missing[i]), std::move(*made.records[i]));
    }
  }
  return made.end == RunsEnd::complete;
}

}  // namespace dcube
