#include "flow_driver.hpp"

#include <algorithm>
#include <utility>

namespace dcube::detail {

namespace {

double date() { return simgrid::s4u::Engine::get_clock(); }

}  // namespace

FlowDriver::Running::Running(FlowDriver& model, Kernel& kernel, Wake wake) : model_{model} {
  model_.kernel_ = &kernel;
  model_.network_ = kernel.fluid_network();
  model_.wake_ = std::move(wake);
  model_.due_ = {};
  model_.clock_ = SimGridClock{date()};
  model_.links_.prepare(*model_.network_, model_.clock_, [&model](MessageId message) {
    model.network_->land(message, model.now());
  });
}

Ticks FlowDriver::now() const { return clock_.time_at(date()); }

double FlowDriver::next_occurring_event(double others) {
  if (!is_running()) {
    return -1;
  }
  if (date() < clock_.start()) {
    return clock_.start() - date();
  }
  if (due_.empty() && !network_->has_due_flows()) {
    if (others == 0) {
      return -1;  // more messages may arrive at this instant
    }
    // All that arrives at an instant is to be known before the kernel goes there.
    const Ticks next = others < 0 ? Ticks::max() : clock_.time_at(date() + others);
    due_ = kernel_->advance(others < 0 ? next : next - Ticks{1});
    if (due_.empty() && !network_->has_due_flows() && others < 0 && kernel_->live_processes() > 0) {
      due_ = kernel_->give_up();
    }
  }
  if (due_.empty() && !network_->has_due_flows()) {
    return -1;
  }
  return clock_.simgrid_time(std::max(kernel_->network_time() - now(), Ticks{0}));
}

void FlowDriver::update_actions_state(double /*now*/, double /*delta*/) {
  if (!is_running() || date() < clock_.start()) {
    return;
  }
  network_->begin_flows([this](const Flow& flow) { links_.begin(flow); });
  if (!due_.empty()) {
    wake_(std::exchange(due_, {}));
  }
}

}  // namespace dcube::detail
