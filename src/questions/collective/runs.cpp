#include "runs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/scenario/overrides.hpp"

namespace dcube {
namespace {

/// Everything of the question that a run depends on, but for the way and the size.
std::string identity_of(const CollectiveAnswer& answer) {
  const CollectiveRequest& request = answer.request;
  return fmt::format(
      "{} {} {} {} {} {} {} {} {}", static_cast<int>(answer.kind),
      request.machine_document ? json_text(Setting{*request.machine_document}) : request.machine,
      request.root.value_or(0), request.compute, request.value_bytes, request.seed,
      json_text(Setting{values_by_pointer(mapped(request.settings, parse_override))}), request.axes,
      joined(request.over, ","));
}

RunRecord record_of_collective(Scenario scenario) {
  RunRecord record = run_record(scenario);
  const Params answer = scenario.program->answer();
  record.details =
      json_line({{"algorithm", answer.text("algorithm")}, {"ports", answer.positive_int("ports")}});
  return record;
}

CollectiveRow row_of(const Machine& machine, const TimeRequest& request, const RunRecord& record) {
  CollectiveRow row{.way = request.way,
                    .bytes = request.bytes,
                    .outcome = record.outcome,
                    .problem = record.problem,
                    .makespan = record.makespan,
                    .fingerprint = record.fingerprint};
  if (request.fair_packet == 0) {
    row.fair_links = fair_links(machine, record);
  }
  if (!record.details.empty()) {
    const auto details = json_value(record.details);
    row.algorithm = details.value("algorithm", std::string{});
    row.ports = details.value("ports", 0U);
  }
  return row;
}

}  // namespace

std::vector<TimeRequest> CollectiveRuns::missing(std::span<const TimeRequest> requests) {
  std::vector<TimeRequest> missing;
  for (const TimeRequest& request : requests) {
    const CollectiveWay& way = answer_.ways[request.way];
    if (rows_.contains(request)) {
      continue;
    }
    if (way.refusal.empty()) {
      missing.push_back(request);
    } else {
      rows_[request] = {request.way, request.bytes, Outcome::refused, way.refusal};
    }
  }
  return missing;
}

CaseList CollectiveRuns::cases_of(std::span<const TimeRequest> requests) const {
  const std::string of_all = identity_of(answer_);
  return {
      "collective",
      mapped(requests,
             [&](const TimeRequest& request) {
               const CollectiveWay& way = answer_.ways[request.way];
               return CaseList::Case{
                   .identity = fmt::format(
                       "{} {} {} {} {} {} {}{}", of_all, way.network, way.algorithm,
                       json_text(Setting{way.embedding_settings}), way.ports, way.has_shape,
                       request.bytes,
                       request.fair_packet == 0 ? ""
                                                : fmt::format(" in turn {}", request.fair_packet)),
                   .manner = {},
                   .make = [this, request] {
                     try {
                       Scenario scenario =
                           collective_scenario(answer_, answer_.ways[request.way], request.bytes);
                       return record_of_collective(
                           request.fair_packet == 0
                               ? std::move(scenario)
                               : FairLinks{request.fair_packet}.of(std::move(scenario)));
                     } catch (const InputError& error) {
                       // The place is dropped: it is in a scenario that no user has written.
                       throw InputError("", error.problem());
                     }
                   }};
             }),
      answer_.memory_bytes,
      std::set<std::filesystem::path>{answer_.inputs.begin(), answer_.inputs.end()}};
}

RunsEnd CollectiveRuns::simulate(std::span<const TimeRequest> requests) {
  const std::vector<TimeRequest> asked = missing(requests);
  if (asked.empty()) {
    return RunsEnd::complete;
  }
  const CaseRecords made = run_cases(cases_of(asked), limits_);
  limits_ = limits_.alone();
  for (std::size_t i = 0; i < made.records.size(); ++i) {
    if (made.records[i]) {
      rows_[asked[i]] = row_of(*answer_.machine, asked[i], *made.records[i]);
    }
  }
  return made.end;
}

std::vector<CollectiveRow> CollectiveRuns::rows() const {
  return mapped(rows_, [](const auto& entry) { return entry.second; });
}

}  // namespace dcube
