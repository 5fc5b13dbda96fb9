#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// The clocks of a program's processes while no message queues: recurrences for programs whose
/// messages differ in size. What the processes do is told in any order in which every message is
/// sent before it is received; each step throws InputError past 63 bits.
class Clocks {
 public:
  /// The machine and the map (node of each process) must outlive the clocks.
  Clocks(const Machine& machine, std::span<const NodeId> map)
      : machine_{machine}, map_{map}, clocks_(map.size()) {}

  Ticks now(ProcessId process) const { return clocks_[process.index()]; }
  Ticks makespan() const;

  void compute(ProcessId process, Ticks duration);
  /// Returns when the message arrives.
  Ticks send(ProcessId from, ProcessId to, std::uint64_t bytes);
  void receive(ProcessId process, Ticks arrival, std::uint64_t bytes);
  /// `a_bytes` is what a sends.
  void exchange(ProcessId a, ProcessId b, std::uint64_t a_bytes, std::uint64_t b_bytes,
                ExchangeMode mode);

 private:
  Ticks transfer(ProcessId from, ProcessId to, std::uint64_t bytes);

  const Machine& machine_;
  std::span<const NodeId> map_;
  std::vector<Ticks> clocks_;
  std::map<std::uint64_t, TransferTime> transfers_;  ///< by size
};

}  // namespace dcube
