#pragma once

#include <cstdint>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/engine/observer.hpp"

namespace dcube {

/// Adds up the bytes from each process to each other one, and to itself: memory for the pairs that
/// talk, not for the messages. Messages of a host computer beside the network are left out: it has
/// no node to be placed on.
class TrafficRecorder final : public Observer {
 public:
  /// `process_count`: processes on the network, numbered from 0.
  explicit TrafficRecorder(std::uint32_t process_count) : sent_(process_count) {}

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_delivery(const Delivery& delivery) override;

  /// Throws InputError when bytes add up past 63 bits.
  Traffic traffic() const;

 private:
  struct Sum {
    std::uint32_t to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
  };

  std::vector<std::vector<Sum>> sent_;  ///< by source; ascending by destination
};

}  // namespace dcube
