#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/engine/simulation.hpp"

namespace dcube::app {

/// Collects when each process finished its stages and when it waited.
class ProcessRecords final : public Observer {
 public:
  ProcessRecords(std::uint32_t process_count, std::uint32_t stage_count);

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_interval(const Interval& interval) override;
  void on_stage_end(ProcessId process, std::uint32_t stage, Ticks time) override;

  /// Process by process: its node, its times and its waiting intervals.
  std::string table(const Embedding& embedding, const RunReport& report) const;

 private:
  struct Record {
    std::vector<std::string> stage_ends;
    std::vector<Interval> waits;
  };

  std::uint32_t stage_count_;
  std::vector<Record> records_;
};

}  // namespace dcube::app
