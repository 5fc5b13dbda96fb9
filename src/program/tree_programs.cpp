#include "tree_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "collectives.hpp"

namespace dcube {
namespace {

constexpr std::int64_t most_values = 1 << 24;
constexpr std::uint64_t usual_values = 16;

/// What one message of a tree costs the two processes and the network.
class MessageCosts {
 public:
  MessageCosts(const Machine& machine, std::span<const NodeId> map, std::uint64_t bytes)
      : send{machine.endpoint.send.of(bytes)},
        receive{machine.endpoint.receive.of(bytes)},
        map_{map},
        transfer_{machine, bytes} {}

  /// When a message arrives that has left its sender at `start`.
  Ticks arrival(Ticks start, ProcessId from, ProcessId to) const {
    return checked_add(start, transfer_(map_[from.index()], map_[to.index()]));
  }

  const Ticks send;
  const Ticks receive;

 private:
  std::span<const NodeId> map_;
  TransferTime transfer_;
};

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

Guest tree_guest(std::uint32_t process_count) {
  return std::has_single_bit(process_count)
             ? Guest::cube(static_cast<std::uint32_t>(std::countr_zero(process_count)))
             : Guest::parse(fmt::format("line:{}", process_count));
}

std::vector<Ticks> predict_broadcast(const Machine& machine, std::span<const NodeId> map,
                                     std::uint64_t bytes, Ticks start) {
  const MessageCosts costs{machine, map, bytes};
  const auto size = static_cast<std::uint32_t>(map.size());
  std::vector<Ticks> clock(size, start);
  // A parent has a lower rank than its children, so its own clock is right when its turn comes.
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const TreePlace place{rank, size};
    for (const ProcessId child : place.children()) {
      clock[rank] = checked_add(clock[rank], costs.send);
      clock[child.index()] =
          checked_add(costs.arrival(clock[rank], ProcessId{rank}, child), costs.receive);
    }
  }
  return clock;
}

std::vector<Ticks> predict_collapse(const Machine& machine, std::span<const NodeId> map,
                                    std::uint64_t bytes, Ticks combine) {
  const MessageCosts costs{machine, map, bytes};
  const auto size = static_cast<std::uint32_t>(map.size());
  std::vector<Ticks> clock(size);
  std::vector<Ticks> arrival(size);  // of what each process sends to its parent
  for (std::uint32_t rank = size; rank-- > 0;) {
    const TreePlace place{rank, size};
    for (auto child = place.children().rbegin(); child != place.children().rend(); ++child) {
      const Ticks there = std::max(clock[rank], arrival[child->index()]);
      clock[rank] = checked_add(checked_add(there, costs.receive), combine);
    }
    if (rank != 0) {
      clock[rank] = checked_add(clock[rank], costs.send);
      arrival[rank] = costs.arrival(clock[rank], ProcessId{rank}, place.parent());
    }
  }
  return clock;
}

}  // namespace dcube
