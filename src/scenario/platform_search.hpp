#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Where machines are looked up by name, most specific first: platforms/ in the working directory,
/// beside and inside `scenario_folder` (empty: none), under $DCUBE_DATA, where dcube was installed,
/// in its source tree. Only folders that exist.
std::vector<std::filesystem::path> platform_folders(const std::filesystem::path& scenario_folder);

/// Names of the machines in `folders`, sorted, each once.
std::vector<std::string> machine_names(const std::vector<std::filesystem::path>& folders);

/// The file of a machine: `name_or_file` is a file, relative to `scenario_folder`, when it has a
/// "/" or ends in ".json", otherwise a name. Throws InputError at `place` when there is none.
std::filesystem::path find_machine_file(const std::string& name_or_file,
                                        const std::filesystem::path& scenario_folder,
                                        std::string_view place);

}  // namespace dcube
