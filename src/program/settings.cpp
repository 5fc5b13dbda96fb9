#include "settings.hpp"

#include <bit>
#include <limits>

#include "core/refuse.hpp"
#include "dcube/collective/calls.hpp"

namespace dcube {
namespace {

constexpr WholeNumber tree_values{"values",
                                  "64-bit values in every message (1 to 2^24)",
                                  "a number of values (1 to 16777216)",
                                  {1, 1 << 24, 16}};

/// The largest 2^(bits k) up to `count`.
std::uint32_t power_up_to(std::uint64_t count, std::uint32_t bits) {
  const auto log2 = static_cast<std::uint32_t>(std::bit_width(count)) - 1;
  return std::uint32_t{1} << (log2 - log2 % bits);
}

/// Reads the setting "processes" of 2^(bits k); returns k. `power` names it: "power of two".
std::uint32_t read_exponent(const Params& params, const Machine& machine, std::uint32_t bits,
                            std::string_view power) {
  const std::uint32_t count = read_process_count(params, machine);
  const auto log2 = static_cast<std::uint32_t>(std::bit_width(count)) - 1;
  const std::uint32_t below = power_up_to(count, bits);
  if (count == below) {
    return log2 / bits;
  }
  refuse_if(params.has("processes"), params.place_of("processes"),
            "{} is not a {}; the nearest are {} and {}", count, power, below,
            std::uint64_t{below} << bits);
  params.reject("processes",
                fmt::format("is missing, and the {} has {} nodes (not a {}); give the number of "
                            "processes, at most {}",
                            describe(*machine.topology), count, power,
                            power_up_to(count * std::uint64_t{machine.node.slots}, bits)));
}

}  // namespace

std::uint32_t WholeNumber::read(const Params& params) const {
  return params.has(key)
             ? static_cast<std::uint32_t>(params.integer(key, values.least, values.most, what))
             : values.usual;
}

std::optional<Ticks> time_unless_free(const ExactTime& each, std::uint64_t count) {
  return each.is_zero() ? std::nullopt : std::optional{round_cost(ExactTime{}, each, count)};
}

std::uint32_t read_process_count(const Params& params, const Machine& machine) {
  const std::uint32_t nodes = machine.topology->usable_count();
  const std::uint64_t slots = std::uint64_t{nodes} * machine.node.slots;
  if (!params.has("processes")) {
    return nodes;
  }
  const std::int64_t count =
      params.integer("processes", 1, std::numeric_limits<std::uint32_t>::max(),
                     "a process count (a positive integer)");
  if (static_cast<std::uint64_t>(count) > slots) {
    const std::string network = describe(*machine.topology);
    params.reject(
        "processes",
        machine.node.slots == 1
            ? fmt::format("{} are too many (the {} has {} nodes, and each hosts at most one)",
                          count, network, nodes)
            : fmt::format("{} are too many (the {} has {} slots on {} nodes)", count, network,
                          slots, nodes));
  }
  return static_cast<std::uint32_t>(count);
}

ParameterHelp process_count_help() {
  return {"processes", "number of processes (1 to the machine's slots)", "the machine's nodes"};
}

std::uint32_t read_cube_dimensions(const Params& params, const Machine& machine) {
  return read_exponent(params, machine, 1, "power of two");
}

ParameterHelp cube_process_count_help() {
  return {"processes", "number of processes (a power of two, at most the machine's slots)",
          "the machine's nodes"};
}

std::uint32_t read_mesh_dimensions(const Params& params, const Machine& machine) {
  return read_exponent(params, machine, 2, "power of four");
}

CollectiveKind read_collective_kind(const Params& params, std::string_view key) {
  std::vector<std::string> names;
  for (const CollectiveKind kind : collective_kinds()) {
    if (kind != CollectiveKind::all_to_allv) {
      names.emplace_back(name_of(kind));
    }
  }
  params.required(key);
  const CollectiveKind kind = find_collective(params.choice(key, names, "")).value();
  refuse_if(kind == CollectiveKind::barrier && params.has("bytes"), params.place_of("bytes"),
            "is for collectives that move data, and a barrier moves none");
  refuse_if(!has_root(kind) && params.has("root"), params.place_of("root"), "{} has no root",
            name_of(kind));
  return kind;
}

ExchangeMode read_exchange_mode(const Params& params, ExchangeMode usual) {
  return read_choice(params, "exchange", {"rendezvous", "eager"}, usual);
}

ParameterHelp exchange_mode_help(ExchangeMode usual) {
  return {"exchange", "rendezvous (when both are ready) or eager (when the sender is)",
          usual == ExchangeMode::eager ? "eager" : "rendezvous"};
}

TreeMessage read_tree_message(const Params& params) {
  const TreeMessage message{.values = tree_values.read(params),
                            .bytes_per_value = params.size_bytes("value_bytes", 8)};
  if (message.bytes_per_value == 0) {
    params.reject_value("value_bytes", "a size (at least 1 byte)");
  }
  std::uint64_t bytes = 0;
  refuse_if(__builtin_mul_overflow(message.values, message.bytes_per_value, &bytes),
            params.place_of("value_bytes"),
            "{} bytes for each of {} values are too many (a message has fewer than 2^64 bytes)",
            message.bytes_per_value, message.values);
  return message;
}

ParameterHelp values_help() { return tree_values; }

ParameterHelp value_bytes_help() {
  return {"value_bytes", "bytes of a value on the simulated machine", "8"};
}

}  // namespace dcube
