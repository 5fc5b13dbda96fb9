#include "execute.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dcube/core/errors.hpp"
#include "mpi.hpp"
#include "store_feed.hpp"

namespace dcube {
namespace {

/// Longest time that a record waits for others, so that many reach the disk together.
constexpr std::chrono::milliseconds longest_unsynced{200};
/// Interval of checks whether another command has ended early.
constexpr std::chrono::milliseconds between_claims{300};
/// Approximate duration of the work that is claimed at a time.
constexpr std::chrono::milliseconds time_of_claim{500};

}  // namespace

void StoreFeed::claim() {
  const Clock::time_point now = Clock::now();
  if (!claimed_.empty() || (is_exhausted_ && now < next_claim_)) {
    return;
  }
  // The first claims are small: nobody knows yet how long a run takes.
  const auto in_time = static_cast<std::size_t>(
      time_of_claim / std::max(size_.mean(), std::chrono::nanoseconds{1000}));
  const std::size_t most = workers_ * std::clamp<std::size_t>(in_time, size_.value(), 4096);
  const std::vector<std::size_t> runs = store_.claim(most, limits_.shard);
  claimed_.assign(runs.begin(), runs.end());
  is_exhausted_ = runs.empty();
  next_claim_ = now + between_claims;
}

Chunk StoreFeed::more() {
  claim();
  // Towards the end of a claim chunks get smaller, so that none is waited for.
  const std::size_t fair = std::max<std::size_t>(1, claimed_.size() / workers_);
  const std::size_t count = std::min({size_.value(), fair, claimed_.size()});
  Chunk runs;
  for (std::size_t i = 0; i < count; ++i) {
    runs.push_back(claimed_.front());
    claimed_.pop_front();
  }
  return runs;
}

void StoreFeed::take(std::vector<RecordLine> records, std::chrono::nanoseconds time) {
  size_.add(records.size(), time);
  std::vector<std::size_t> runs;
  for (auto& [run, line] : records) {
    store_.append(run, std::move(line));
    runs.push_back(run);
  }
  sync_if_due();
  if (on_record_) {
    store_.sync();
    for (const std::size_t run : runs) {
      on_record_(*store_.record(run));
    }
  }
}

void StoreFeed::sync_if_due() {
  const Clock::time_point now = Clock::now();
  if (store_.has_unsynced() && now - last_sync_ >= longest_unsynced) {
    store_.sync();
    last_sync_ = Clock::now();
  }
}

bool StoreFeed::turn() {
  sync_if_due();
  if (claimed_.empty() && !is_busy() && !has_given_away()) {
    store_.sync();
    claim();
  }
  if (limits_.on_progress) {
    limits_.on_progress(store_.done_count(), cases().run_count());
  }
  const bool has_work = !claimed_.empty() || is_busy() || has_given_away();
  if (has_work || limits_.shard.count > 1) {
    return has_work;
  }
  return !store_.is_complete();
}

std::chrono::milliseconds StoreFeed::patience() const {
  return is_exhausted_ && !is_busy() ? between_claims : std::chrono::milliseconds{100};
}

RunsEnd make_runs(const Cases& cases, RunStore& store, const SimulationLimits& limits,
                  const InterruptWatch& interrupt, RecordListener on_record) {
  expects(limits.shard.index < limits.shard.count, "a shard is one of those that there are");
  store.forget_unlucky(limits);
  std::optional<MpiRanks> ranks;
  std::size_t at_once = 1;  // a rank makes one run at a time
  if (limits.mpi) {
    ranks.emplace();
  } else {
    at_once = jobs_at_once(limits.at_once, cases.largest_run_bytes());
  }
  const std::unique_ptr<StoreFeed> feed =
      ranks ? coordinator_feed(*ranks, cases, store, limits, std::move(on_record))
            : std::make_unique<StoreFeed>(cases, store, limits, at_once, std::move(on_record));
  ChildPool pool{chunk_work(cases)};
  const bool is_whole =
      pool.run(*feed, {at_once, limits.timeout, {}, ChildLife::many_jobs}, interrupt);
  store.sync();
  if (!is_whole) {
    return RunsEnd::interrupted;
  }
  if (ranks) {
    ranks->finish();
  }
  store.refresh();
  return store.is_complete() || limits.shard.count == 1 ? RunsEnd::complete
                                                        : RunsEnd::shard_is_done;
}

RunsEnd work_for_rank_0(const Cases& cases, const SimulationLimits& limits,
                        const InterruptWatch& interrupt) {
  MpiRanks ranks;
  ChildPool pool{chunk_work(cases)};
  if (!pool.run(*rank_feed(ranks, cases), {1, limits.timeout, {}, ChildLife::many_jobs},
                interrupt)) {
    return RunsEnd::interrupted;
  }
  ranks.finish();
  return RunsEnd::rank_is_done;
}

}  // namespace dcube
