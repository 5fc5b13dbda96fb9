#include "flow_driver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "time.hpp"

namespace dcube::detail {

namespace {

/// SimGrid's error in the end of a flow is far below this part of a tick. An end so much after a
/// whole tick still counts as that tick, and SimGrid is given so much more time.
constexpr double tolerance = 0x1p-10;

/// Number of ticks that cover `delay`.
Ticks ticks_until(double delay) {
  constexpr auto end_of_time = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const double ticks = std::max(std::ceil(delay / simgrid_tick - tolerance), 0.0);
  return ticks >= end_of_time ? Ticks::max() : Ticks{static_cast<std::int64_t>(ticks)};
}

double simgrid_time(Ticks time) { return static_cast<double>(time.count()) * simgrid_tick; }

/// `time + step`, saturated.
Ticks later(Ticks time, Ticks step) {
  return step > Ticks::max() - time ? Ticks::max() : time + step;
}

}  // namespace

void FlowDriver::begin() {
  network_ = kernel_->fluid_network();
  time_ = step_ = Ticks{0};
  links_.prepare(*network_, [this](MessageId message) { network_->land(message, time_); });
}

double FlowDriver::next_occurring_event(double others) {
  if (!is_running()) {
    return -1;
  }
  if (!has_work() && others < 0) {
    due_ = kernel_->advance(Ticks::max());
    if (!has_work() && kernel_->live_processes() > 0) {
      due_ = kernel_->give_up();
    }
    if (!has_work()) {
      return -1;
    }
  } else if (!has_work()) {
    // All arrivals of an instant must be known before the kernel goes there.
    const Ticks step = ticks_until(others);
    if (step > Ticks{0}) {
      due_ = kernel_->advance(later(time_, step) - Ticks{1});
    }
    if (!has_work()) {
      step_ = step;
      return simgrid_time(step) + tolerance * simgrid_tick;
    }
  }
  step_ = std::max(kernel_->network_time() - time_, Ticks{0});
  return simgrid_time(step_);
}

void FlowDriver::update_actions_state(double /*now*/, double /*delta*/) {
  if (!is_running()) {
    return;
  }
  time_ = later(time_, std::exchange(step_, Ticks{0}));
  network_->begin_flows([this](const Flow& flow) { links_.begin(flow); });
  if (!due_.empty()) {
    wake_(std::exchange(due_, {}));
  }
}

}  // namespace dcube::detail
