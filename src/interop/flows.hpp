#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// Weight of a flow in files with one number: bytes, or messages when no flow has bytes.
inline std::uint64_t single_weight(const Traffic& traffic, const Flow& flow) {
  return traffic.total_bytes() > 0 ? flow.bytes : flow.messages;
}

/// Throws InputError that names the file when the flows add up past 63 bits.
inline Traffic traffic_of(const std::string& file, std::uint64_t process_count,
                          std::vector<Flow> flows) {
  return at_place(file, [&] {
    return Traffic{static_cast<std::uint32_t>(process_count), std::move(flows)};
  });
}

}  // namespace dcube
