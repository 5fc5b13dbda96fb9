#pragma once

#include <filesystem>
#include <optional>

#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// Path of the program's setting "output".
inline constexpr const char* output_pointer = "/program/output";

/// The file that a program writes after its run.
struct ProgramOutput {
  std::filesystem::path file;
  bool is_overridden = false;  ///< named by a change of the scenario, which may name any file
  bool may_be_written = true;  ///< overridden, or inside the folder
};

/// What the scenario's program writes in `folder` (empty: the current one), if anything.
std::optional<ProgramOutput> program_output(const Scenario& scenario,
                                            const std::filesystem::path& folder);

}  // namespace dcube
