#include "dcube/questions/varied_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

constexpr const char* process_count = ".process_count";

bool has_parameter(const std::string& program, std::string_view name) {
  const ProgramKind* kind = find_kind(program_catalog(), program);
  return kind != nullptr && std::ranges::count(kind->parameters, name, &ParameterHelp::name) > 0;
}

std::string cube_setting(std::uint32_t processes) {
  refuse_if(!std::has_single_bit(processes), process_count,
            "{} is not a power of two; the nearest are {} and {}", processes,
            std::bit_floor(processes), std::uint64_t{std::bit_floor(processes)} * 2);
  return fmt::format("/program/dimensions={}", std::countr_zero(processes));
}

/// Whether a setting at `pointer` replaces the value, or a part of it that is not free.
bool replaces(std::string_view pointer, const ChosenValue& value) {
  return pointer.starts_with(value.pointer) &&
         (pointer.size() == value.pointer.size() ||
          (!value.has_free_parts && pointer[value.pointer.size()] == '/'));
}

}  // namespace

void expect_unset(const std::vector<std::string>& settings, std::span<const ChosenValue> values) {
  for (const std::string& setting : settings) {
    const std::string pointer = parse_override(setting).pointer;
    for (const ChosenValue& value : values) {
      refuse_if(replaces(pointer, value), ".set", "{} changes what is compared, {} ({})", pointer,
                value.thing, value.way_out);
    }
  }
}

std::string label_of(const std::string& embedding) {
  if (find_kind(embedding_catalog(), embedding) != nullptr) {
    return embedding;
  }
  const std::optional<MapFile> file = find_map_file(embedding);
  const std::filesystem::path path = file ? file->file : std::filesystem::path{embedding};
  const std::string name = path.stem().string();
  return find_kind(embedding_catalog(), name) == nullptr && name != own_embedding
             ? name
             : path.filename().string();
}

ScenarioRequest with_processes(ScenarioRequest options, const std::string& program,
                               std::uint32_t processes) {
  if (has_parameter(program, "processes")) {
    options.settings.push_back(fmt::format("/program/processes={}", processes));
  } else if (has_parameter(program, "dimensions")) {
    options.settings.push_back(cube_setting(processes));
  } else {
    throw InputError(
        process_count,
        fmt::format("the program {} has no setting for its number of processes", program));
  }
  return options;
}

Scenario build_with_processes(const ScenarioSource& source, const ScenarioRequest& options,
                              std::uint32_t processes) {
  try {
    return source.build(options);
  } catch (const InputError& error) {
    if (error.place().ends_with("/program/processes")) {
      throw InputError(process_count, error.problem());  // which begins with the number
    }
    refuse_if(error.place().find("/embedding") != std::string::npos, process_count, "{}: {}",
              counted(processes, "process"), error.problem());
    throw;
  }
}

std::vector<std::string> network_names(const std::vector<std::string>& texts) {
  const std::vector<std::string> known{"store_and_forward", "cut_through", "fluid", "fluid:CM02",
                                       "fluid:LV08"};
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    refuse_if(std::ranges::find(known, text) == known.end(), ".networks",
              "`{}` is not a network that dcube knows{}", text, nearest_name_hint(text, known));
    refuse_if(std::ranges::find(names, text) != names.end(), ".networks", "{} is given twice",
              text);
    names.push_back(text);
  }
  return names;
}

ScenarioRequest with_network(ScenarioRequest options, const std::string& network) {
  const std::size_t colon = network.find(':');
  if (colon != std::string::npos) {
    options.settings.push_back(fmt::format(R"(/machine/network={{"kind": "fluid", "model": "{}"}})",
                                           network.substr(colon + 1)));
  } else if (network == "fluid") {
    options.settings.emplace_back("/machine/network=fluid");
  } else {
    options.settings.emplace_back("/machine/network=switched");
    options.settings.push_back("/machine/switching=" + network);
  }
  return options;
}

}  // namespace dcube
