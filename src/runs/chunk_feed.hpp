#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/runs/cases.hpp"
#include "dcube/runs/child_batch.hpp"

namespace dcube {

/// Runs that a child makes one after the other, because starting each of many small ones would take
/// longer than they do.
using Chunk = std::vector<std::size_t>;

/// Number of a run and the text of its record.
using RecordLine = std::pair<std::size_t, std::string>;

/// Work of a child on a chunk: runs `cases`, which must outlive it.
ChildPool::Work chunk_work(const Cases& cases);

/// Number of runs in a chunk that takes about a twentieth of a second, or less where each run has a
/// time limit: a chunk that takes longer than that is ended, and its runs are made one by one.
class ChunkSize {
 public:
  explicit ChunkSize(std::optional<std::chrono::nanoseconds> timeout = {});

  std::size_t value() const { return value_; }
  /// Adds a measurement: `runs` runs took `time` together.
  void add(std::size_t runs, std::chrono::nanoseconds time);
  /// Mean time of a run, as far as is known.
  std::chrono::nanoseconds mean() const { return mean_; }

 private:
  std::chrono::nanoseconds longest_;
  std::size_t value_ = 1;
  std::chrono::nanoseconds mean_{std::chrono::seconds{1}};
};

/// Gives chunks to children and takes records. Where a child does not come back with a chunk, its
/// runs are made one by one, so that those that are sound are kept and the one that is not is
/// known.
class ChunkFeed : public JobFeed {
 public:
  explicit ChunkFeed(const Cases& cases) : cases_{cases} {}

  std::optional<std::string> next() final;
  void end(std::size_t number, ChildResult result) final;

 protected:
  /// The next chunk; empty: there is none at the moment.
  virtual Chunk more() = 0;
  /// Takes the records of runs that took `time` together.
  virtual void take(std::vector<RecordLine> records, std::chrono::nanoseconds time) = 0;

  /// Whether some runs are with children or wait for one.
  bool is_busy() const { return !given_.empty() || !single_.empty(); }
  const Cases& cases() const { return cases_; }

 private:
  struct Given {
    Chunk runs;
    std::chrono::steady_clock::time_point begin;
  };

  const Cases& cases_;
  std::map<std::size_t, Given> given_;  ///< by number of the job
  std::deque<std::size_t> single_;      ///< runs to be made one by one
  std::size_t jobs_ = 0;
};

}  // namespace dcube
