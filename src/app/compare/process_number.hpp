#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace dcube::app {

/// Numbers of processes as --process-count gives them, each once. Throws InputError.
std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts);

/// The scenario's options, with the program (a catalogue name) on `processes` processes: its
/// setting `processes`, or `dimensions`. Throws InputError when it has neither, or no such cube.
ScenarioOptions with_processes(ScenarioOptions options, const std::string& program,
                               std::uint32_t processes);

/// Builds the scenario; complaints about the number are complaints about --process-count.
Scenario build_with_processes(const ScenarioSource& source, const ScenarioOptions& options,
                              std::uint32_t processes);

}  // namespace dcube::app
