#pragma once

#include <vector>

#include "dcube/program/program.hpp"
#include "pattern_phase.hpp"

namespace dcube {

struct ReadPattern {
  Guest guest;
  std::vector<Phase> phases;
};

/// Reads the settings of a pattern. Throws InputError.
ReadPattern read_pattern(const Params& settings, const ProgramContext& context);

/// The call of a phase with a collective, without its size.
CollectiveCall call_of(const Phase& phase);

}  // namespace dcube
