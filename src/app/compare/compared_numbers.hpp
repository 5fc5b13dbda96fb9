#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dcube::app {

/// Numbers of processes as --process-count gives them. Throws InputError.
std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts);

/// Numbers of failed links as --failures gives them, ascending, with 0 first whether it is given or
/// not. Throws InputError.
std::vector<std::uint32_t> failure_numbers(const std::vector<std::string>& texts);

/// The largest number of seeds that --seeds takes.
inline constexpr std::uint32_t most_failure_seeds = 1000;

/// A number of seeds as --seeds gives it, 1 .. most_failure_seeds. Throws InputError without a
/// place.
std::uint32_t failure_seeds(const std::string& text);

}  // namespace dcube::app
