#pragma once

#include <functional>
#include <span>

#include "compat.hpp"
#include "engine/kernel.hpp"
#include "links.hpp"

namespace dcube::detail {

/// Drives runs on SimGrid's own links. It stays with SimGrid's engine from run to run, and is
/// active only during such a run.
///
/// Like NetworkDriver it is asked last, moves the kernel on up to SimGrid's next event, and answers
/// with the delay to the instant where it stopped: one that wakes processes, or at which messages
/// set out. These become SimGrid's communications when its clock is there. If SimGrid's event comes
/// first, the answer is the delay to the end of the tick of that event. So time passes in whole
/// ticks, which the driver counts itself. SimGrid's clock does not matter: its network only learns
/// how much time has passed since it was last asked.
class FlowDriver final : public simgrid::kernel::resource::Model {
 public:
  explicit FlowDriver(SimGridLinks& links) : Model("fluid"), links_{links} {}

  using Wake = std::function<void(std::span<const ProcessId>)>;
  /// A run is active while this lives.
  class Running {
   public:
    /// `wake` makes the named processes run before SimGrid next asks the model.
    Running(FlowDriver& model, Kernel& kernel, Wake wake);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { model_.kernel_ = nullptr; }

   private:
    FlowDriver& model_;
  };
  bool is_running() const { return kernel_ != nullptr; }

  bool next_occurring_event_is_idempotent() override { return false; }
  double next_occurring_event(double others) override;
  void update_actions_state(double now, double delta) override;

 private:
  bool has_work() const { return !due_.empty() || network_->has_due_flows(); }

  SimGridLinks& links_;
  Kernel* kernel_ = nullptr;
  FluidNetwork* network_ = nullptr;
  Wake wake_;
  Ticks time_{0};
  Ticks step_{0};                   ///< until SimGrid has moved on
  std::span<const ProcessId> due_;  ///< woken at the current instant and not yet told
};

}  // namespace dcube::detail
