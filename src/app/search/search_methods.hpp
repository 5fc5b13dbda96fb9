#pragma once

#include "search/methods.hpp"
#include "search_children.hpp"
#include "search_report.hpp"

namespace dcube::app {

bool has_complete_proof(const SearchOutcome& outcome);

/// Runs the method of `outcome` with its seed and effort. Puts into `outcome` what is found, why
/// the search ended and, after a complete enumeration, a bound. The map is empty when every
/// simulation failed, or when SIGINT came before the first. Throws InputError where the method
/// cannot be used.
void run_method(const SearchProblem& problem, SearchWatch& watch, SearchOutcome& outcome);

}  // namespace dcube::app
