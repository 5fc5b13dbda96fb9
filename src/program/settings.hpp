#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

// The forms that settings and answers of programs have, and the settings that several programs
// share.

/// A setting that is a whole number.
struct WholeNumber {
  const char* key;
  const char* help;
  const char* what;  ///< what another number is not: "a capacity (0 to 1000000)"
  struct {
    std::uint32_t least, most;
    std::uint32_t usual;  ///< where the setting is missing
  } values;

  std::uint32_t read(const Params& params) const;
  operator ParameterHelp() const { return {key, help, std::to_string(values.usual)}; }
};

/// A setting that is one of `names`, which are in the order of the enumeration.
template <class Enum>
Enum read_choice(const Params& params, std::string_view key, const std::vector<std::string>& names,
                 Enum usual = Enum{}) {
  const std::string name = params.choice(key, names, names[static_cast<std::size_t>(usual)]);
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

/// The text, or an empty one where the setting is missing.
std::string optional_text(const Params& params, std::string_view key);

/// A number of an answer.
template <class Number>
Setting number(const Number& value) {
  return Setting::Number{fmt::format("{}", value)};
}

/// The setting "processes": at most the machine's slots, and by default one for every node.
std::uint32_t read_process_count(const Params& params, const Machine& machine);
ParameterHelp process_count_help();

/// log2 of the same setting, for programs on a cube. The setting must be a power of two, or without
/// it the number of nodes.
std::uint32_t read_cube_dimensions(const Params& params, const Machine& machine);
ParameterHelp cube_process_count_help();

/// log4 of the same setting, for programs on a square mesh: it must be a power of four.
std::uint32_t read_mesh_dimensions(const Params& params, const Machine& machine);

/// The setting "exchange": rendezvous or eager.
ExchangeMode read_exchange_mode(const Params& params,
                                ExchangeMode usual = ExchangeMode::rendezvous);
ParameterHelp exchange_mode_help(ExchangeMode usual = ExchangeMode::rendezvous);

/// The message that goes along every edge of the trees of collectives.hpp.
struct TreeMessage {
  std::uint64_t values = 0;           ///< of 8 bytes each in this computer's memory
  std::uint64_t bytes_per_value = 0;  ///< on the simulated machine
};

/// The settings "values" and "value_bytes".
TreeMessage read_tree_message(const Params& params);
ParameterHelp values_help();
ParameterHelp value_bytes_help();

}  // namespace dcube
