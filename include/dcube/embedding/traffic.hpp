#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// Messages from one process to another in a whole run.
struct Flow {
  ProcessId from;
  ProcessId to;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  friend bool operator==(const Flow&, const Flow&) = default;
};

/// Flows between all processes: a program's weighted graph. A plain value.
class Traffic {
 public:
  /// Flows of the same pair add up. Flows from a process to itself are own_flows() alone; flows
  /// without bytes and messages are left out. Throws InputError (no place) when bytes or
  /// messages add up past 63 bits.
  Traffic(std::uint32_t process_count, std::vector<Flow> flows);
  /// A message each way over every edge of the guest, with as many bytes as the weight of the
  /// edge's dimension. Throws MemoryError when the flows do not fit in memory.
  static Traffic of(const Guest& guest, std::span<const std::uint64_t> weights);
  /// A message of one byte each way over every edge.
  static Traffic of(const Guest& guest);

  std::uint32_t process_count() const { return process_count_; }
  /// Ascending by (from, to); each pair occurs once.
  std::span<const Flow> flows() const { return flows_; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// What processes send themselves, which no map changes; ascending, each process once. Numbers
  /// end at 2^63-1.
  std::span<const Flow> own_flows() const { return own_flows_; }
  /// At most 2^63-1.
  std::uint64_t own_bytes() const;

  /// own_flows() do not count.
  friend bool operator==(const Traffic& a, const Traffic& b) {
    return a.process_count_ == b.process_count_ && a.flows_ == b.flows_;
  }

 private:
  std::uint32_t process_count_;
  std::vector<Flow> own_flows_;
  std::vector<Flow> flows_;
  std::uint64_t total_bytes_ = 0;
};

/// Flows that go on together, and how often they do.
struct Superstep {
  std::vector<Flow> flows;  ///< as those of a Traffic
  std::uint64_t times = 1;
};

}  // namespace dcube
