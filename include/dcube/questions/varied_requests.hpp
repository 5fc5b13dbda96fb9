#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/runs/scenario_request.hpp"

namespace dcube {

/// Label of an embedding in rows and files: of a file its name without folder and suffix.
std::string label_of(const std::string& embedding);

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
