#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Where machines are looked up by name: platforms/ beside and inside `scenario_folder` (nothing:
/// no scenario names the machine), under $DCUBE_DATA, where dcube was installed, in its source tree
/// and at last in the working directory. A scenario means the same wherever it is run from, because
/// the working directory never hides another folder. Only folders that exist.
std::vector<std::filesystem::path> platform_folders(
    const std::optional<std::filesystem::path>& scenario_folder);

/// Names of the machines in `folders`, sorted, each once; none of a folder that cannot be read.
std::vector<std::string> machine_names(const std::vector<std::filesystem::path>& folders);

/// The file of a machine: `name_or_file` is a file, relative to `scenario_folder`, when it has a
/// "/" or ends in ".json", otherwise a name. Throws InputError at `place` when there is none.
std::filesystem::path find_machine_file(const std::string& name_or_file,
                                        const std::optional<std::filesystem::path>& scenario_folder,
                                        std::string_view place);

}  // namespace dcube
