#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace dcube {

/// `total` / `count`; 0 when `count` is 0.
inline double mean_of(std::uint64_t total, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}

/// Least, greatest and mean of a count over all nodes or all links.
struct LoadSummary {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  double mean = 0;
};

class LoadTally {
 public:
  void add(std::uint64_t load) {
    least_ = std::min(least_, load);
    most_ = std::max(most_, load);
    total_ += load;
    ++count_;
  }

  std::uint64_t count() const { return count_; }
  LoadSummary summary() const { return {count_ == 0 ? 0 : least_, most_, mean_of(total_, count_)}; }

 private:
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace dcube
