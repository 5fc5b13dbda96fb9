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

/// The clocks of a program's processes while no message queues, for recurrences of programs whose
/// messages differ in size. The steps of the processes may be told in any order in which every
/// message is sent before it is received. Each step throws InputError past 63 bits.
class Clocks {
 public:
  /// A message that has been sent and not yet received.
  struct Message {
    ProcessId from;
    ProcessId to;
    std::uint64_t bytes = 0;
    Ticks arrival{0};
  };

  /// The machine and the map (node of each process, a host being one more) must outlive the clocks.
  Clocks(const Machine& machine, std::span<const NodeId> map)
      : machine_{machine}, map_{map}, clocks_(map.size()) {}

  Ticks now(ProcessId process) const { return clocks_[process.index()]; }
  Ticks makespan() const;

  void compute(ProcessId process, Ticks duration);
  /// A message of a process to itself is free.
  Message send(ProcessId from, ProcessId to, std::uint64_t bytes);
  void receive(const Message& message);
  /// `a` sends `a_bytes`, `b` sends `b_bytes`.
  void exchange(ProcessId a, ProcessId b, std::uint64_t a_bytes, std::uint64_t b_bytes,
                ExchangeMode mode);

  // Over the tree of collectives.hpp; `tree` is the process with each number there.

  void broadcast(std::span<const ProcessId> tree, std::uint64_t bytes);
  /// Every process computes for `combine` after each message it receives.
  void collapse(std::span<const ProcessId> tree, std::uint64_t bytes, Ticks combine);

 private:
  /// What a message of one size costs.
  struct Costs {
    Costs(const Machine& machine, std::uint64_t bytes)
        : send{machine.endpoint.send.of(bytes)},
          receive{machine.endpoint.receive.of(bytes)},
          transfer{machine, bytes} {}

    Ticks send;
    Ticks receive;
    TransferTime transfer;
  };

  const Costs& costs(std::uint64_t bytes);

  const Machine& machine_;
  std::span<const NodeId> map_;
  std::vector<Ticks> clocks_;
  std::map<std::uint64_t, Costs> costs_;  ///< by size
};

/// Processes 0 .. count-1: the tree of programs that number it by rank.
std::vector<ProcessId> tree_by_rank(std::uint32_t count);

}  // namespace dcube
