#pragma once

#include "driver.hpp"
#include "links.hpp"

namespace dcube::detail {

/// Drives runs on SimGrid's own links.
///
/// Like NetworkDriver it is asked last, moves the kernel on up to SimGrid's next event, and answers
/// with the delay to the instant where it stopped: one that wakes processes, or at which messages
/// set out. These become SimGrid's communications when its clock is there. If SimGrid's event comes
/// first, the answer is the delay to the end of the tick of that event. So time passes in whole
/// ticks, which the driver counts itself. SimGrid's clock does not matter: its network only learns
/// how much time has passed since it was last asked.
class FlowDriver final : public Driver {
 public:
  explicit FlowDriver(SimGridLinks& links) : Driver("fluid"), links_{links} {}

  double next_occurring_event(double others) override;
  void update_actions_state(double now, double delta) override;

 private:
  void begin() override;
  bool has_work() const { return !due_.empty() || network_->has_due_flows(); }

  SimGridLinks& links_;
  FluidNetwork* network_ = nullptr;
  Ticks time_{0};
  Ticks step_{0};  ///< until SimGrid has moved on
};

}  // namespace dcube::detail
