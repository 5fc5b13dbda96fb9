#include "tree_programs.hpp"

#include <fmt/format.h>

namespace dcube {
namespace {

constexpr std::int64_t most_values = 1 << 24;
constexpr std::uint64_t usual_values = 16;

}  // namespace

TreeMessage read_tree_message(const Params& params) {
  TreeMessage message{.values = usual_values,
                      .bytes_per_value = params.size_bytes("value_bytes", 8)};
  if (params.has("values")) {
    message.values = static_cast<std::uint64_t>(params.integer(
        "values", 1, most_values, fmt::format("a number of values (1 to {})", most_values)));
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(message.values, message.bytes_per_value, &bytes)) {
    params.reject("value_bytes", fmt::format("{} bytes for each of {} values are too many (a "
                                             "message has fewer than 2^64 bytes)",
                                             message.bytes_per_value, message.values));
  }
  return message;
}

ParameterHelp values_help() {
  return {"values", "64-bit values in every message (1 to 2^24)", "16"};
}

ParameterHelp value_bytes_help() {
  return {"value_bytes", "bytes of a value on the simulated machine", "8"};
}

}  // namespace dcube
