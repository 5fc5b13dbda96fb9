#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"

namespace dcube::detail {

/// Adds up the costs of a run by stage. The last row is for costs outside all stages.
class StageTally {
 public:
  StageTally(std::uint32_t stage_count, std::size_t process_count);

  /// The process ends in stage `left`, or goes on to another, at the instant `clock`.
  void leave(ProcessId process, std::uint32_t left, Ticks clock) {
    pass(process, left, clock);
    ++row_of(left).stays[process.index()].times;
  }
  /// The time of the process up to `clock` was that of `stage`, to which it may come back.
  void pass(ProcessId process, std::uint32_t stage, Ticks clock) {
    row_of(stage).stays[process.index()].time += clock - since_[process.index()];
    since_[process.index()] = clock;
  }
  /// Adds computing, waiting or endpoint time. Communication is the rest of the process's time.
  void add(std::uint32_t stage, Activity activity, Ticks time) {
    row_of(stage).time[static_cast<std::size_t>(activity)] += time.count();
  }
  void count_message(std::uint32_t stage, std::uint64_t bytes) {
    Row& row = row_of(stage);
    ++row.messages;
    row.bytes += bytes;
  }
  /// A negative delay takes back an earlier one.
  void count_delay(std::uint32_t stage, Ticks delay) {
    Row& row = row_of(stage);
    if (delay < Ticks{0}) {
      --row.queued;
    } else {
      ++row.queued;
    }
    row.queued_ticks += delay.count();
  }

  std::vector<StageCosts> costs() const;

 private:
  static constexpr std::size_t tallied = activity_count - 1;  ///< all but idle

  /// Time of one process in one stage.
  struct Stay {
    Ticks time{0};
    std::uint64_t times = 0;  ///< entries
  };
  struct Row {
    std::array<Int128, tallied> time{};
    std::uint64_t messages = 0, bytes = 0, queued = 0;
    Int128 queued_ticks = 0;
    std::vector<Stay> stays;  ///< [process]
  };

  Row& row_of(std::uint32_t stage) {
    return rows_[stage == no_stage ? rows_.size() - 1 : std::size_t{stage}];
  }

  std::vector<Row> rows_;
  std::vector<Ticks> since_;  ///< [process], end of the time that is added up
};

}  // namespace dcube::detail
