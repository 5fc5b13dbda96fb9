#pragma once

#include <cstdint>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"

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

}  // namespace dcube
