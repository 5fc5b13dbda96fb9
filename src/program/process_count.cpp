#include "process_count.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace dcube {

std::uint32_t read_process_count(const Params& params, const Topology& topology) {
  if (!params.has("processes")) {
    return topology.node_count();
  }
  const std::int64_t count =
      params.integer("processes", 1, std::numeric_limits<std::uint32_t>::max(),
                     "a process count (a positive integer)");
  if (count > topology.node_count()) {
    params.reject("processes", fmt::format("{} are too many (the {} has {} nodes, and each hosts "
                                           "at most one)",
                                           count, describe(topology), topology.node_count()));
  }
  return static_cast<std::uint32_t>(count);
}

std::uint32_t read_cube_dimensions(const Params& params, const Topology& topology) {
  const std::uint32_t count = read_process_count(params, topology);
  if (std::has_single_bit(count)) {
    return static_cast<std::uint32_t>(std::countr_zero(count));
  }
  if (params.has("processes")) {
    params.reject("processes",
                  fmt::format("{} is not a power of two; the nearest are {} and {}", count,
                              std::bit_floor(count), std::uint64_t{std::bit_floor(count)} * 2));
  }
  params.reject("processes",
                fmt::format("is missing, and the {} has {} nodes (not a power of two); give the "
                            "number of processes, at most {}",
                            describe(topology), count, std::bit_floor(count)));
}

ParameterHelp process_count_help() {
  return {"processes", "number of processes (1 to the machine's nodes)", "the machine's nodes"};
}

ParameterHelp cube_process_count_help() {
  return {"processes", "number of processes (a power of two, at most the machine's nodes)",
          "the machine's nodes"};
}

}  // namespace dcube
