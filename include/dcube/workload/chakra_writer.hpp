#pragma once

#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

/// A pattern as execution traces of MLCommons Chakra.
struct ChakraTraces {
  std::vector<std::string> ranks;  ///< the file of each rank
  Params
      program;  ///< settings of the program chakra that reads them, as trace.0.et, trace.1.et, ..
};

/// Writes the pattern of these settings (see Program::pattern()) as graphs: a node for each
/// computation, message and collective of a rank, after those that it waits for. Times are rounded
/// to microseconds, and unequal shares of an allgather or gather up to the largest. Algorithms and
/// ports of collectives, and the sides of their groups, are attributes of dcube's own. Throws
/// InputError for a collective that Chakra does not have, and for more than 2^24 nodes.
ChakraTraces chakra_traces(const Params& pattern, const ProgramContext& context);

}  // namespace dcube
