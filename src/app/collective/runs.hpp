#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "crossovers.hpp"
#include "dcube/engine/simulation.hpp"
#include "runs/child_batch.hpp"
#include "runs/interrupt.hpp"
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

/// Simulates ways at sizes, each once, in child processes.
class CollectiveRuns {
 public:
  /// What it is given must outlive it.
  CollectiveRuns(const CollectiveQuestion& question, const CollectiveSubject& subject,
                 std::span<const CollectiveWay> ways, const JobsOption& jobs,
                 const InterruptWatch& interrupt, ProgressOutput progress)
      : question_{question},
        subject_{subject},
        ways_{ways},
        at_once_{jobs_at_once(jobs, std::max<std::uint64_t>(1, subject.memory_bytes))},
        interrupt_{interrupt},
        progress_{progress} {}

  /// Simulates what has not been yet; false when an interrupt has come.
  bool simulate(std::string_view what, std::span<const TimeRequest> requests);
  /// Of what has been simulated.
  const CollectiveRow& row(const TimeRequest& request) const { return rows_.at(request); }
  /// Everything that has been, by way and size.
  std::vector<CollectiveRow> rows() const;

 private:
  std::string simulate_in_child(const TimeRequest& request) const;

  const CollectiveQuestion& question_;
  const CollectiveSubject& subject_;
  std::span<const CollectiveWay> ways_;
  std::size_t at_once_;
  const InterruptWatch& interrupt_;
  ProgressOutput progress_;
  std::map<TimeRequest, CollectiveRow> rows_;
};

}  // namespace dcube::app
