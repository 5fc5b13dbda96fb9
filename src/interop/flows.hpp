#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// What a flow weighs where a file has one number for it: its bytes, or its messages when nobody
/// sends a byte.
inline std::uint64_t single_weight(const Traffic& traffic, const Flow& flow) {
  return traffic.total_bytes() > 0 ? flow.bytes : flow.messages;
}

/// What a file has told. Throws InputError that names the file when it adds up past 63 bits.
inline Traffic traffic_of(const std::string& file, std::uint64_t process_count,
                          std::vector<Flow> flows) {
  try {
    return {static_cast<std::uint32_t>(process_count), std::move(flows)};
  } catch (const InputError& error) {
    throw InputError(file, error.problem());
  }
}

}  // namespace dcube
