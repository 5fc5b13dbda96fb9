#pragma once

#include <cstdint>
#include <string_view>

#include "dcube/core/errors.hpp"

namespace dcube {

/// Something does not fit in this computer's memory.
class MemoryError : public InputError {
 public:
  using InputError::InputError;
};

/// Memory that this process may still use: what is free or can be freed, within the limits of its
/// control groups and of its address space.
std::uint64_t available_memory_bytes();

inline constexpr std::string_view smaller_case =
    "use a smaller machine, fewer processes or a larger computer";

/// Throws MemoryError (no place) when `needed` bytes are not available: "WHAT does not fit in
/// memory (it takes about 17 GB, and 2.1 GB are available); WAY_OUT". Call it before taking much
/// memory, or the system may end the program.
void expect_fits_in_memory(std::string_view what, std::uint64_t needed,
                           std::string_view way_out = smaller_case);

}  // namespace dcube
