#pragma once

#include <cstdint>

#include "dcube/core/ids.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/network.hpp"

namespace dcube::detail {

/// A 64-bit hash of all messages and processes' ends. A record holds its sort key (arrival, source,
/// send number), so the sum of the records' hashes serves as a hash of the sorted list.
class Fingerprint {
 public:
  void add_message(ProcessId source, std::uint32_t send_number, ProcessId destination,
                   std::uint64_t bytes, std::uint32_t hops, Ticks start, Ticks arrival) {
    const std::uint64_t from = join(source.index(), send_number);
    const std::uint64_t to = join(destination.index(), hops);
    const std::uint64_t times =
        fold(word(start) ^ 0x8ebc6af09c88c6e3U, word(arrival) ^ 0x589965cc75374cc3U);
    value_ += fold(fold(from ^ 0xa0761d6478bd642fU, to ^ 0xe7037ed1a0b428dbU) ^ bytes,
                   times ^ 0x1d8e4e27c47d124fU);
  }

  void add_end(ProcessId process, Ticks end) {
    value_ += fold(process.index() ^ 0xeb44accab455d165U, word(end) ^ 0x9c6e6877736c46e3U);
  }

  std::uint64_t value() const { return value_; }

 private:
  static std::uint64_t word(Ticks time) { return static_cast<std::uint64_t>(time.count()); }
  static std::uint64_t join(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }
  /// Xor of both halves of the 128-bit product.
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const UInt128 product = UInt128{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t value_ = 0;
};

}  // namespace dcube::detail
