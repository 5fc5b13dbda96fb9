#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "chunk_feed.hpp"
#include "execute.hpp"

namespace dcube {

/// Claims runs from a store, chunk by chunk, and keeps their records there.
class StoreFeed : public ChunkFeed {
 public:
  StoreFeed(const Cases& cases, RunStore& store, const ExecutionLimits& limits,
            std::function<void(const RunsProgress&)> on_progress)
      : ChunkFeed{cases},
        store_{store},
        limits_{limits},
        on_progress_{std::move(on_progress)},
        size_{limits.timeout} {}

  bool turn() override;
  std::chrono::milliseconds patience() const override;

  /// Does what is left when all has ended, or was interrupted.
  void finish();

 protected:
  Chunk more() override;
  void take(std::vector<RecordLine> records, std::chrono::nanoseconds time) override;

  /// Whether runs are under way elsewhere that this feed has given away.
  virtual bool has_given_away() const { return false; }
  /// Number of workers on the runs that this feed claims.
  virtual std::size_t workers() const { return limits_.at_once; }

 private:
  using Clock = std::chrono::steady_clock;

  void sync_if_due();
  void claim();

  RunStore& store_;
  const ExecutionLimits& limits_;
  std::function<void(const RunsProgress&)> on_progress_;
  ChunkSize size_;
  std::deque<std::size_t> claimed_;
  bool is_exhausted_ = false;  ///< at the last claim there was nothing
  Clock::time_point next_claim_ = Clock::now();
  Clock::time_point last_sync_ = Clock::now();
};

}  // namespace dcube
