#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "dcube/search/search.hpp"

namespace dcube {

/// Lets several threads ask one caller whether to stop, one at a time.
class SharedControl {
 public:
  SharedControl(const SearchControl& control, std::uint64_t effort)
      : control_{control}, effort_{effort} {}

  bool stops(std::uint64_t moves) {
    done_ += moves;
    if (has_stopped_) {
      return true;
    }
    const std::scoped_lock lock{mutex_};
    has_stopped_ = has_stopped_ ||
                   control_.stops_at({std::min<std::uint64_t>(done_, effort_), effort_, best_});
    return has_stopped_;
  }
  bool has_stopped() const { return has_stopped_; }
  /// Shown from now on. For the thread that hands out work.
  void set_best(std::uint64_t cost) { best_ = cost; }

 private:
  const SearchControl& control_;
  std::uint64_t effort_;
  std::uint64_t best_ = 0;
  std::mutex mutex_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> has_stopped_ = false;
};

}  // namespace dcube
