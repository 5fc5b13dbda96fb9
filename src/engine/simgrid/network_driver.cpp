#include "network_driver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dcube::detail {

namespace {

/// The last tick not after `from + delay`.
Ticks horizon_after(Ticks from, double delay) {
  constexpr auto end_of_time = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const double end = static_cast<double>(from.count()) + std::floor(delay);
  return delay < 0 || end >= end_of_time ? Ticks::max() : Ticks{static_cast<std::int64_t>(end)};
}

}  // namespace

void NetworkDriver::begin() { reported_ = Ticks{0}; }

double NetworkDriver::next_occurring_event(double others) {
  if (!is_running()) {
    return -1;
  }
  if (due_.empty() && kernel_->live_processes() > 0) {
    due_ = kernel_->advance(horizon_after(reported_, others));
    if (due_.empty() && others < 0) {
      due_ = kernel_->give_up();
    }
  }
  if (due_.empty()) {
    return -1;
  }
  const Ticks before = std::exchange(reported_, std::max(reported_, kernel_->network_time()));
  return static_cast<double>((reported_ - before).count());
}

void NetworkDriver::update_actions_state(double /*now*/, double /*delta*/) {
  if (due_.empty()) {
    return;
  }
  const std::size_t batch = std::min(due_.size(), batch_size);
  wake_(due_.first(batch));
  due_ = due_.subspan(batch);
}

}  // namespace dcube::detail
