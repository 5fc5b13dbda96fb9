#pragma once

#include <string>

#include "search_report.hpp"

namespace dcube::app {

/// What scripts/check_certificate.py verifies (docs/search.md). Needs one of the two proofs.
std::string certificate_json(const SearchProblem& problem, const SearchOutcome& outcome);

}  // namespace dcube::app
