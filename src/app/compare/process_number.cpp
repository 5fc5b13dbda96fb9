#include "process_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "app/terminal/readable.hpp"
#include "dcube/core/catalog.hpp"

namespace dcube::app {
namespace {

constexpr const char* option = "--process-count";

bool has_parameter(const std::string& program, std::string_view name) {
  const ProgramKind* kind = find_kind(program_catalog(), program);
  return kind != nullptr &&
         std::any_of(kind->parameters.begin(), kind->parameters.end(),
                     [&](const ParameterHelp& parameter) { return parameter.name == name; });
}

std::string cube_setting(std::uint32_t processes) {
  if (!std::has_single_bit(processes)) {
    throw InputError(option, fmt::format("{} is not a power of two; the nearest are {} and {}",
                                         processes, std::bit_floor(processes),
                                         std::uint64_t{std::bit_floor(processes)} * 2));
  }
  return fmt::format("/program/dimensions={}", std::countr_zero(processes));
}

}  // namespace

std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : texts) {
    const std::uint32_t number = positive_int_option(option, text);
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      throw InputError(option, fmt::format("{} is given twice", number));
    }
    numbers.push_back(number);
  }
  return numbers;
}

ScenarioOptions with_processes(ScenarioOptions options, const std::string& program,
                               std::uint32_t processes) {
  if (has_parameter(program, "processes")) {
    options.settings.push_back(fmt::format("/program/processes={}", processes));
  } else if (has_parameter(program, "dimensions")) {
    options.settings.push_back(cube_setting(processes));
  } else {
    throw InputError(option, fmt::format("the program {} has no setting for its number of "
                                         "processes",
                                         program));
  }
  return options;
}

Scenario build_with_processes(const ScenarioSource& source, const ScenarioOptions& options,
                              std::uint32_t processes) {
  try {
    return source.build(options);
  } catch (const InputError& error) {
    if (error.place().ends_with("/program/processes")) {
      throw InputError(option, error.problem());  // which begins with the number
    }
    if (error.place().find("/embedding") != std::string::npos) {
      throw InputError(option,
                       fmt::format("{}: {}", counted(processes, "process"), error.problem()));
    }
    throw;
  }
}

}  // namespace dcube::app
