#pragma once

#include <functional>
#include <span>

#include "compat.hpp"
#include "engine/kernel.hpp"

namespace dcube::detail {

/// Drives runs on dcube's own network, as a SimGrid model. It stays with SimGrid's engine from run
/// to run, and is active only during a run.
///
/// SimGrid asks this model last and passes the delay to the next event of all others. (SimGrid made
/// that path for ns-3, whose clock cannot be asked without moving it.) The model moves its own
/// calendar on up to there, stops at the first instant that wakes processes, and answers with the
/// delay to it. One SimGrid second is one tick. SimGrid's clock is never read, so times are exact.
class NetworkDriver final : public simgrid::kernel::resource::Model {
 public:
  NetworkDriver() : Model("dcube") {}

  using Wake = std::function<void(std::span<const ProcessId>)>;
  /// A run is active while this lives.
  class Running {
   public:
    /// `wake` makes the named processes run before SimGrid next asks the model.
    Running(NetworkDriver& model, Kernel& kernel, Wake wake);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { model_.kernel_ = nullptr; }

   private:
    NetworkDriver& model_;
  };
  bool is_running() const { return kernel_ != nullptr; }

  bool next_occurring_event_is_idempotent() override { return false; }
  /// Delay to the next instant that wakes processes, at most `others`; negative: no event.
  double next_occurring_event(double others) override;
  void update_actions_state(double now, double delta) override;

 private:
  /// Processes woken before the kernel is asked for the next batch: as many as stay in the cache.
  static constexpr std::size_t batch_size = 1024;

  Kernel* kernel_ = nullptr;
  Wake wake_;
  std::span<const ProcessId> due_;  ///< woken at the current instant and not yet told
  Ticks reported_{0};               ///< the instant that SimGrid knows
};

}  // namespace dcube::detail
