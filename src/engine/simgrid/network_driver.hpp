#pragma once

#include "driver.hpp"

namespace dcube::detail {

/// Drives runs on dcube's own network.
///
/// SimGrid asks this model last and passes the delay to the next event of all others. (SimGrid made
/// that path for ns-3, whose clock cannot be asked without moving it.) The model moves its own
/// calendar on up to there, stops at the first instant that wakes processes, and answers with the
/// delay to it. One SimGrid second is one tick. SimGrid's clock is never read, so times are exact.
class NetworkDriver final : public Driver {
 public:
  NetworkDriver() : Driver("dcube") {}

  /// Delay to the next instant that wakes processes, at most `others`; negative: no event.
  double next_occurring_event(double others) override;
  void update_actions_state(double now, double delta) override;

 private:
  void begin() override;
  /// Processes woken before the kernel is asked for the next batch: as many as stay in the cache.
  static constexpr std::size_t batch_size = 1024;

  Ticks reported_{0};  ///< the instant that SimGrid knows
};

}  // namespace dcube::detail
