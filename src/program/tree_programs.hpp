#pragma once

#include <cstdint>

#include "dcube/core/params.hpp"

namespace dcube {

// Parts that the programs on the trees of collectives.hpp share.

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

}  // namespace dcube
