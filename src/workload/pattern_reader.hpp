#pragma once

#include <vector>

#include "dcube/program/program.hpp"
#include "pattern_phase.hpp"

namespace dcube {

/// Reads the setting "phases". Throws InputError.
std::vector<Phase> read_phases(const Params& settings, const ProgramContext& context,
                               const Guest& guest);

/// The call of a phase with a collective, without its size.
CollectiveCall call_of(const Phase& phase);

}  // namespace dcube
