#pragma once

#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"
#include "matching_problem.hpp"

namespace dcube {

/// Reads the settings of template matching, including its files. Throws InputError.
MatchingProblem read_matching_problem(const Params& params, const ProgramContext& context);

std::vector<ParameterHelp> matching_settings_help();

}  // namespace dcube
