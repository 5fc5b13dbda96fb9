#pragma once

#include <filesystem>
#include <string_view>

#include "dcube/core/params.hpp"
#include "dcube/scenario/experiments.hpp"

namespace dcube {

/// Any number; `what` completes "x is not ..". Throws InputError.
double real_number(const Params& group, std::string_view key, std::string_view what);

/// The figure that a point gives as "printed" or "expected". Throws InputError.
Reference read_reference(const Params& point);

/// Reads and checks a file of experiments that has been read as JSON. Throws InputError.
ExperimentFile read_experiments(const Params& document, const std::filesystem::path& file);

}  // namespace dcube
