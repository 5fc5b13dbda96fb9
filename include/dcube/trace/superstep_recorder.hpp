#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/engine/observer.hpp"

namespace dcube {

/// Finds out which messages of a run go on together. A message belongs to the superstep after that
/// of every message for which its sender has waited, and after that of the messages that the sender
/// sent before it last waited. The supersteps of a bulk-synchronous program come out as it has
/// them. Messages of a host computer beside the network are left out.
///
/// Memory: 48 bytes a message and 24 a wait.
class SuperstepRecorder final : public Observer {
 public:
  /// `process_count`: processes on the network, numbered from 0.
  explicit SuperstepRecorder(std::uint32_t process_count) : processes_{process_count} {}

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_interval(const Interval& interval) override;
  void on_delivery(const Delivery& delivery) override;
  void on_background_steps(const BackgroundSteps& steps) override;

  /// The supersteps, those with the same messages as one, by their first occurrence. Empty where
  /// there are more than `most` different ones, or two million messages.
  std::vector<Superstep> supersteps(std::size_t most) const;

 private:
  static constexpr std::size_t most_records = 2'000'000;

  struct Wait {
    ProcessId process;
    MessageName message;
    Ticks end{0};
  };

  std::vector<std::uint32_t> steps() const;

  std::uint32_t processes_;
  std::vector<Delivery> deliveries_;
  std::vector<Wait> waits_;  ///< for messages of others, as their ends were told
};

}  // namespace dcube
