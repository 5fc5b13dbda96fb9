#pragma once

#include <algorithm>
#include <cstddef>

#include "dcube/core/int128.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"

namespace dcube::detail {

class TimeSum {
 public:
  void add(Ticks time) {
    total_ += time.count();
    max_ = std::max(max_, time);
  }
  TimeSummary summary(std::size_t processes) const {
    const double total = to_seconds(total_);
    return {total, processes == 0 ? 0 : total / static_cast<double>(processes), max_};
  }

 private:
  Int128 total_ = 0;
  Ticks max_{0};
};

}  // namespace dcube::detail
