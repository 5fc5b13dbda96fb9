#pragma once

#include <cstdint>
#include <vector>

#include "compared_run.hpp"
#include "dcube/questions/compare.hpp"

namespace dcube {

/// What a comparison runs. All scenarios are built before anything runs, but for those on draws of
/// failures after the first. Throws InputError.
std::vector<ComparedRun> chosen_runs(const CompareRequest& request);

/// What a comparison of these runs says of all of them; it has no rows yet.
Comparison comparison_of(const CompareRequest& request, const std::vector<ComparedRun>& runs);

/// The rows of those that have ended, and whether these are all.
void take_rows(Comparison& comparison, const std::vector<ComparedRun>& runs);

/// About the memory that the largest of them takes, at least 1.
std::uint64_t largest_run_bytes(const std::vector<ComparedRun>& runs);

}  // namespace dcube
