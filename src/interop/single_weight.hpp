#pragma once

#include <cstdint>

#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// What a flow weighs where a file has one number for it: its bytes, or its messages when nobody
/// sends a byte.
inline std::uint64_t single_weight(const Traffic& traffic, const Flow& flow) {
  return traffic.total_bytes() > 0 ? flow.bytes : flow.messages;
}

}  // namespace dcube
