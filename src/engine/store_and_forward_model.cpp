#include "store_and_forward_model.hpp"

#include <algorithm>
#include <utility>

#include "simgrid_clock.hpp"

namespace dcube::detail {

namespace {

/// The last tick not after `delay` from `from`.
Ticks horizon_after(Ticks from, double delay) {
  const Ticks step = ticks_of_simgrid(delay);
  return delay < 0 || step >= Ticks::max() - from ? Ticks::max() : from + step;
}

}  // namespace

StoreAndForwardModel::Running::Running(StoreAndForwardModel& model, Kernel& kernel, Wake wake)
    : model_{model} {
  model_.kernel_ = &kernel;
  model_.wake_ = std::move(wake);
  model_.due_ = {};
  model_.reported_ = Ticks{0};
}

double StoreAndForwardModel::next_occurring_event(double others) {
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
  return others < 0 ? 0 : simgrid_time(reported_ - before);
}

void StoreAndForwardModel::update_actions_state(double /*now*/, double /*delta*/) {
  if (due_.empty()) {
    return;
  }
  const std::size_t batch = std::min(due_.size(), batch_size);
  wake_(due_.first(batch));
  due_ = due_.subspan(batch);
}

}  // namespace dcube::detail
