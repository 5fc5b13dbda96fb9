#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "chunk_feed.hpp"
#include "execute.hpp"

namespace dcube {

/// Claims runs from a store, chunk by chunk, and keeps their records there.
class StoreFeed : public ChunkFeed {
 public:
  /// Works on the shard of the limits, up to `at_once` runs at a time. The store and the limits
  /// must outlive it.
  StoreFeed(const Cases& cases, RunStore& store, const SimulationLimits& limits,
            std::size_t at_once, RecordListener on_record)
      : ChunkFeed{cases},
        store_{store},
        limits_{limits},
        workers_{at_once},
        on_record_{std::move(on_record)},
        size_{limits.timeout} {}

  bool turn() override;
  std::chrono::milliseconds patience() const override;

 protected:
  Chunk more() override;
  void take(std::vector<RecordLine> records, std::chrono::nanoseconds time) override;

  /// Whether runs are under way elsewhere that this feed has given away.
  virtual bool has_given_away() const { return false; }

 private:
  using Clock = std::chrono::steady_clock;

  void sync_if_due();
  void claim();

  RunStore& store_;
  const SimulationLimits& limits_;
  std::size_t workers_;  ///< on the runs that this feed claims
  RecordListener on_record_;
  ChunkSize size_;
  std::deque<std::size_t> claimed_;
  bool is_exhausted_ = false;  ///< at the last claim there was nothing
  Clock::time_point next_claim_ = Clock::now();
  Clock::time_point last_sync_ = Clock::now();
};

}  // namespace dcube
