#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

// What programs on the trees of collectives.hpp have in common.

/// The message that goes along every edge of the tree.
struct TreeMessage {
  std::uint64_t values = 0;           ///< of 8 bytes each in this computer's memory
  std::uint64_t bytes_per_value = 0;  ///< on the simulated machine

  std::uint64_t bytes() const { return values * bytes_per_value; }
};

/// The settings "values" and "value_bytes".
TreeMessage read_tree_message(const Params& params);

/// The help of those settings.
ParameterHelp values_help();
ParameterHelp value_bytes_help();

/// The shape of the processes: a cube where there are 2^d, else a line.
Guest tree_guest(std::uint32_t process_count);

/// When every process has received and handed on the values of an expansion that process 0 begins
/// at `start` [N 3]. Without contention; `map` is the node of each process.
std::vector<Ticks> predict_broadcast(const Machine& machine, std::span<const NodeId> map,
                                     std::uint64_t bytes, Ticks start);

/// When every process is done with a collapse in which it combines for `combine` after every
/// message it receives [N 3]. Without contention.
std::vector<Ticks> predict_collapse(const Machine& machine, std::span<const NodeId> map,
                                    std::uint64_t bytes, Ticks combine);

}  // namespace dcube
