#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "dcube/metrics/embedding_metrics.hpp"

namespace dcube {

inline double ratio(std::uint64_t total, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}

/// Least, greatest and mean of loads added one by one.
class LoadTally {
 public:
  void add(std::uint64_t load) {
    least_ = std::min(least_, load);
    most_ = std::max(most_, load);
    total_ += load;
    ++count_;
  }

  LoadSummary summary() const { return {count_ == 0 ? 0 : least_, most_, ratio(total_, count_)}; }

 private:
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace dcube
