#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/runs/scenario_request.hpp"

namespace dcube {

/// A value of scenarios that a question varies, or gives itself.
struct ChosenValue {
  std::string_view pointer;     ///< JSON pointer to it
  std::string_view thing;       ///< "the network"
  std::string_view way_out;     ///< "name those to compare by `.networks`"
  bool has_free_parts = false;  ///< settings may replace parts of it
};
inline constexpr std::array chosen_embedding{
    ChosenValue{"/embedding", "the embedding", "name those to compare by `.embeddings`"}};
inline constexpr std::array chosen_network{
    ChosenValue{"/machine/network", "the network", "name those to compare by `.networks`"},
    ChosenValue{"/machine/switching", "the network", "name those to compare by `.networks`"}};
inline constexpr std::array chosen_processes{
    ChosenValue{"/program/processes", "the number of processes",
                "name those to compare by `.process_count`"},
    ChosenValue{"/program/dimensions", "the number of processes",
                "name those to compare by `.process_count`"}};

/// Throws InputError at ".set" where a setting replaces one of the values, or a part of it.
void expect_unset(const std::vector<std::string>& settings, std::span<const ChosenValue> values);

/// Label of an embedding in rows and files: of a file its name without folder and suffix.
std::string label_of(const std::string& embedding);

/// Name of the scenario's own embedding among others.
inline constexpr std::string_view own_embedding = "own";

/// The scenario's options, with the program (a catalogue name) on `processes` processes: its
/// setting `processes`, or `dimensions`. Throws InputError when it has neither, or no such cube.
ScenarioRequest with_processes(ScenarioRequest options, const std::string& program,
                               std::uint32_t processes);

/// Builds the scenario; complaints about the number are complaints about the field process_count.
Scenario build_with_processes(const ScenarioSource& source, const ScenarioRequest& options,
                              std::uint32_t processes);

/// Networks as people give them, each once. Throws InputError.
std::vector<std::string> network_names(const std::vector<std::string>& texts);

/// The scenario's options, with a machine whose network is the one of this name.
ScenarioRequest with_network(ScenarioRequest options, const std::string& network);

}  // namespace dcube
