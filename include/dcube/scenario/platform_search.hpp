#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Folders in which machines are looked up by name: platforms/ beside and inside `scenario_folder`
/// (nothing: no scenario names the machine), under $DCUBE_DATA, where dcube was installed, in its
/// source tree and at last in the working directory. A scenario means the same wherever it is run
/// from, because the working directory never hides another folder. Only folders that exist.
std::vector<std::filesystem::path> platform_folders(
    const std::optional<std::filesystem::path>& scenario_folder);

/// The files NAME.json of `folders`, by name; the first folder wins. A folder that cannot be read
/// has none.
std::map<std::string, std::filesystem::path> json_files(
    const std::vector<std::filesystem::path>& folders);

std::vector<std::string> names_of(const std::map<std::string, std::filesystem::path>& files);

/// Whether the text is a file rather than a name: it has a "/" or ends in ".json".
bool names_json_file(std::string_view text);

/// The file of a machine: `name_or_file` is a file, relative to `scenario_folder`, or a name.
/// Throws InputError at `place` when there is none.
std::filesystem::path find_machine_file(const std::string& name_or_file,
                                        const std::optional<std::filesystem::path>& scenario_folder,
                                        std::string_view place);

}  // namespace dcube
