#pragma once

#include <map>
#include <span>
#include <vector>

#include "crossovers.hpp"
#include "dcube/questions/collective.hpp"
#include "dcube/runs/case_list.hpp"

namespace dcube {

/// Simulates ways at sizes, each once, round by round. The requests of a round follow from the
/// rounds before.
class CollectiveRuns {
 public:
  /// `answer` must outlive this.
  CollectiveRuns(const CollectiveAnswer& answer, SimulationLimits limits)
      : answer_{answer}, limits_{std::move(limits)} {}

  /// Equal for equal requests of one subject.
  std::string id_of(std::span<const TimeRequest> requests) const { return cases_of(requests).id(); }

  /// Simulates the requests that have not been yet. Ranks and shards take part in the first round
  /// alone.
  RunsEnd simulate(std::span<const TimeRequest> requests);
  /// The row of a request that has been simulated.
  const CollectiveRow& row(const TimeRequest& request) const { return rows_.at(request); }
  /// All rows that have been simulated, by way and size.
  std::vector<CollectiveRow> rows() const;

 private:
  /// Ways that cannot be have their rows already.
  std::vector<TimeRequest> missing(std::span<const TimeRequest> requests);
  CaseList cases_of(std::span<const TimeRequest> requests) const;

  const CollectiveAnswer& answer_;
  SimulationLimits limits_;
  std::map<TimeRequest, CollectiveRow> rows_;
};

}  // namespace dcube
