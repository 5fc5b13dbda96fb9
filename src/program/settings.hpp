#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/random.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

// Helpers for settings and answers of programs, and settings of several programs.

/// A setting that is a whole number.
struct WholeNumber {
  const char* key;
  const char* help;
  const char* what;  ///< for errors: "a capacity (0 to 1000000)"
  struct {
    std::uint32_t least, most;
    std::uint32_t usual;  ///< default
  } values;

  std::uint32_t read(const Params& params) const;
  operator ParameterHelp() const { return {key, help, std::to_string(values.usual)}; }
};

/// A setting with one of `names`, which are in the order of the enumeration.
template <class Enum>
Enum read_choice(const Params& params, std::string_view key, const std::vector<std::string>& names,
                 Enum usual = Enum{}) {
  const std::string name = params.choice(key, names, names[static_cast<std::size_t>(usual)]);
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

/// A number in an answer.
template <class Number>
Setting number(const Number& value) {
  return Setting::Number{fmt::format("{}", value)};
}

/// A hash of the results of `function` for each element, and of their number.
template <class Range, class Function = std::identity>
std::uint64_t hash_of_all(const Range& range, Function function = {}) {
  std::uint64_t hash = hash_of(range.size());
  for (const auto& element : range) {
    hash = hash_of(hash, std::invoke(function, element));
  }
  return hash;
}

/// Time of so many operations on one process; nothing if they are free.
std::optional<Ticks> time_unless_free(const ExactTime& each, std::uint64_t count);

/// The setting "processes": at most the machine's slots, by default one per node.
std::uint32_t read_process_count(const Params& params, const Machine& machine);
ParameterHelp process_count_help();

/// log2 of the setting "processes" (by default the nodes), a power of two, for programs on a cube.
std::uint32_t read_cube_dimensions(const Params& params, const Machine& machine);
ParameterHelp cube_process_count_help();

/// log4 of that number, a power of four, for programs on a square mesh.
std::uint32_t read_mesh_dimensions(const Params& params, const Machine& machine);

/// The collective that a setting names: any but all_to_allv, whose counts no setting has.
CollectiveKind read_collective_kind(const Params& params, std::string_view key);

ExchangeMode read_exchange_mode(const Params& params,
                                ExchangeMode usual = ExchangeMode::rendezvous);
ParameterHelp exchange_mode_help(ExchangeMode usual = ExchangeMode::rendezvous);

/// A message along every edge of the trees of collectives.hpp.
struct TreeMessage {
  std::uint64_t values = 0;           ///< each 8 bytes in this computer's memory
  std::uint64_t bytes_per_value = 0;  ///< on the simulated machine
};

/// The settings "values" and "value_bytes".
TreeMessage read_tree_message(const Params& params);
ParameterHelp values_help();
ParameterHelp value_bytes_help();

}  // namespace dcube
