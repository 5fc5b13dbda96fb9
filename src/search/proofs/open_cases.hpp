#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "core/share_out.hpp"
#include "dcube/search/cases.hpp"

namespace dcube {

/// Cases of a branch and bound that wait to be split, and those that workers split at the moment.
/// A case has a `bound`; the greatest by `<` is split first, and has the least bound.
template <class Case>
class OpenCases {
 public:
  explicit OpenCases(CasesSettings settings)
      : settings_{std::move(settings)},
        reached_{settings_.reached},
        bound_{settings_.bound},
        in_work_(std::max(1U, settings_.jobs), none) {}

  /// Calls `split(worker, case)` until no case is left that may cost less than what is reached, or
  /// should_stop() ends it. The bound of all cases.
  template <class Split>
  std::uint64_t work_off(Split split) {
    const auto jobs = static_cast<std::uint32_t>(in_work_.size());
    share_out(jobs, jobs, [&](std::uint32_t, std::uint32_t worker) {
      try {
        while (std::optional<Case> one = next(worker)) {
          split(worker, *one);
        }
      } catch (...) {
        end();
        throw;
      }
    });
    return is_over_ ? bound_ : std::max(bound_, std::min(reached_, given_up_));
  }

  void push(Case one) {
    const std::scoped_lock lock{mutex_};
    waiting_.push(std::move(one));
    has_news_.notify_one();
  }
  std::size_t waiting() const {
    const std::scoped_lock lock{mutex_};
    return waiting_.size();
  }
  /// A case of this bound stays as it is.
  void give_up(std::uint64_t bound) {
    const std::scoped_lock lock{mutex_};
    given_up_ = std::min(given_up_, bound);
  }
  /// A map of less cost.
  void reach(std::uint64_t cost) {
    const std::scoped_lock lock{mutex_};
    reached_ = std::min(reached_, cost);
  }
  bool has_to_stop() {
    if (!is_over_ && settings_.should_stop) {
      const std::scoped_lock lock{mutex_};
      if (settings_.should_stop()) {
        is_over_ = true;
        has_news_.notify_all();
      }
    }
    return is_over_;
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  /// Nothing when all is done.
  std::optional<Case> next(std::uint32_t worker) {
    std::unique_lock lock{mutex_};
    in_work_[worker] = none;
    while (!is_over_) {
      note_bound();
      if (!waiting_.empty()) {
        if (waiting_.top().bound >= std::min(reached_, given_up_)) {
          waiting_ = {};
          continue;
        }
        std::optional<Case> one{waiting_.top()};
        waiting_.pop();
        in_work_[worker] = one->bound;
        return one;
      }
      if (std::ranges::all_of(in_work_, [](std::uint64_t bound) { return bound == none; })) {
        break;
      }
      has_news_.wait(lock);
    }
    has_news_.notify_all();
    return std::nullopt;
  }

  void note_bound() {
    std::uint64_t least = std::min({reached_, given_up_, std::ranges::min(in_work_)});
    if (!waiting_.empty()) {
      least = std::min(least, waiting_.top().bound);
    }
    if (least > bound_) {
      bound_ = least;
      if (settings_.on_bound) {
        settings_.on_bound(bound_);
      }
    }
  }

  void end() {
    const std::scoped_lock lock{mutex_};
    is_over_ = true;
    has_news_.notify_all();
  }

  CasesSettings settings_;
  mutable std::mutex mutex_;  ///< of all that follows
  std::condition_variable has_news_;
  std::priority_queue<Case> waiting_;
  std::uint64_t reached_ = 0;
  std::uint64_t given_up_ = none;  ///< least bound of cases that nothing splits
  std::uint64_t bound_ = 0;
  std::vector<std::uint64_t> in_work_;  ///< bounds of the cases that workers have
  std::atomic<bool> is_over_ = false;
};

}  // namespace dcube
