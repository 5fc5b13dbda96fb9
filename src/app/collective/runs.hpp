#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.hpp"
#include "app/runs/runs_options.hpp"
#include "crossovers.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/runs/case_list.hpp"
#include "ways.hpp"

namespace dcube::app {

/// What came of one way at one size.
struct CollectiveRow {
  std::size_t way = 0;
  std::uint64_t bytes = 0;
  Outcome outcome = Outcome::refused;
  std::string problem{};    ///< why it did not complete
  std::string algorithm{};  ///< that was taken
  std::uint32_t ports = 0;  ///< that it used
  Ticks makespan{0};
  std::uint64_t fingerprint = 0;

  bool is_complete() const { return outcome == Outcome::completed; }
};

/// Simulates ways at sizes, each once, round by round. What is asked for in a round follows from
/// the rounds before.
class CollectiveRuns {
 public:
  /// What it is given must outlive it.
  CollectiveRuns(const CollectiveQuestion& question, const CollectiveSubject& subject,
                 std::span<const CollectiveWay> ways, const RunsOptions& options,
                 ProgressOutput progress)
      : question_{question},
        subject_{subject},
        ways_{ways},
        options_{options},
        progress_{progress} {}

  /// The runs of the first round, which shards and ranks share.
  CaseList first_cases(std::span<const TimeRequest> requests) {
    return cases_of(missing(requests));
  }
  /// Simulates what has not been yet. Ranks and shards take part in the first round alone.
  RunsEnd simulate(std::string_view what, std::span<const TimeRequest> requests,
                   const InterruptWatch& interrupt);
  /// Of what has been simulated.
  const CollectiveRow& row(const TimeRequest& request) const { return rows_.at(request); }
  /// Everything that has been, by way and size.
  std::vector<CollectiveRow> rows() const;

 private:
  /// Ways that cannot be have their rows already.
  std::vector<TimeRequest> missing(std::span<const TimeRequest> requests);
  CaseList cases_of(std::span<const TimeRequest> requests) const;

  const CollectiveQuestion& question_;
  const CollectiveSubject& subject_;
  std::span<const CollectiveWay> ways_;
  const RunsOptions& options_;
  ProgressOutput progress_;
  std::map<TimeRequest, CollectiveRow> rows_;
  bool is_first_ = true;  ///< no round has been made
};

}  // namespace dcube::app
