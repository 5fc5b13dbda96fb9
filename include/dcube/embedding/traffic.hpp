#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// What one process sends another in a whole run.
struct Flow {
  ProcessId from;
  ProcessId to;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  friend bool operator==(const Flow&, const Flow&) = default;
};

/// How much every process sends to every other: a program's weighted graph. A plain value.
class Traffic {
 public:
  /// Flows between the same two processes add up. Flows from a process to itself cross no link and
  /// are left out but for own_bytes(), as are flows without bytes and messages. Throws InputError
  /// (no place) when bytes or messages add up past 63 bits.
  Traffic(std::uint32_t process_count, std::vector<Flow> flows);
  /// A message each way over every edge of the guest; the weight of the edge's dimension is the
  /// message's bytes. Needs a weight for each dimension. Throws MemoryError when the flows do not
  /// fit in memory.
  static Traffic of(const Guest& guest, std::span<const std::uint64_t> weights);
  /// One byte each way over every edge.
  static Traffic of(const Guest& guest);

  std::uint32_t process_count() const { return process_count_; }
  /// Ascending by (from, to); each pair occurs once.
  std::span<const Flow> flows() const { return flows_; }
  /// Of the flows.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// Bytes that processes send themselves, which no map changes; at most 2^63-1.
  std::uint64_t own_bytes() const { return own_bytes_; }

  /// Whether processes send each other the same.
  friend bool operator==(const Traffic& a, const Traffic& b) {
    return a.process_count_ == b.process_count_ && a.flows_ == b.flows_;
  }

 private:
  std::uint32_t process_count_;
  std::uint64_t own_bytes_ = 0;
  std::vector<Flow> flows_;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace dcube
