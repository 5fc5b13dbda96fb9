#include "dcube/scenario/platform_search.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/file_names.hpp"
#include "core/mapped.hpp"
#include "core/own_folder.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/interop/machine_files.hpp"
#include "dcube/scenario/machines.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_name = "platforms";
constexpr std::string_view extension = ".json";

std::string quoted(const std::string& text) { return Setting{text}.describe(); }

}  // namespace

std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (const char* data = std::getenv("DCUBE_DATA"); data != nullptr && *data != '\0') {
    folders.emplace_back(data);
  }
  // An installed tree may be moved as a whole; that of a wheel is beside the module.
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  for (const fs::path& prefix : {own_folder(), program.parent_path().parent_path()}) {
    const fs::path beside = prefix / "share" / "dcube";
    if (!prefix.empty() && fs::is_directory(beside, unknown)) {
      folders.push_back(beside);
    }
  }
#ifdef DCUBE_DATA_DIR
  folders.emplace_back(DCUBE_DATA_DIR);
#endif
#ifdef DCUBE_SOURCE_DIR
  folders.emplace_back(DCUBE_SOURCE_DIR);
#endif
  return folders;
}

std::vector<fs::path> platform_folders(const std::optional<fs::path>& scenario_folder) {
  std::vector<fs::path> candidates;
  if (scenario_folder) {
    candidates.push_back(*scenario_folder / ".." / folder_name);
    candidates.push_back(*scenario_folder / folder_name);
  }
  for (const fs::path& folder : data_folders()) {
    candidates.push_back(folder / folder_name);
  }
  candidates.emplace_back(folder_name);
  const auto is_there = [](const fs::path& candidate) {
    std::error_code ignored;
    return fs::is_directory(candidate, ignored);
  };
  return mapped(kept(candidates, is_there), &fs::path::lexically_normal);
}

std::map<std::string, fs::path> json_files(const std::vector<fs::path>& folders) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator entry{folder, error}; !error && entry != fs::directory_iterator{};
         entry.increment(error)) {
      if (entry->path().extension() == extension) {
        files.emplace(entry->path().stem().string(), entry->path());
      }
    }
  }
  return files;
}

std::vector<std::string> names_of(const std::map<std::string, fs::path>& files) {
  return mapped(files, [](const auto& entry) { return entry.first; });
}

bool names_json_file(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(extension) ||
         machine_format_of(text) != nullptr;
}

fs::path find_machine_file(const std::string& name_or_file,
                           const std::optional<fs::path>& scenario_folder, std::string_view place) {
  std::error_code ignored;
  if (names_json_file(name_or_file)) {
    fs::path file = path_in(scenario_folder.value_or(fs::path{}), name_or_file);
    // A file that cannot be looked up is complained of where it is read.
    std::error_code error;
    refuse_if(
        !fs::exists(file, error) && !error, place,
        "{} does not exist (a machine is a name in platforms/ or a file, relative to the scenario)",
        quoted(name_or_file));
    return file;
  }
  const std::vector<fs::path> folders = platform_folders(scenario_folder);
  for (const fs::path& folder : folders) {
    fs::path file = folder / (name_or_file + std::string{extension});
    if (fs::is_regular_file(file, ignored)) {
      return file;
    }
  }
  throw InputError(place,
                   fmt::format("{} is no machine in platforms/{}", quoted(name_or_file),
                               nearest_name_hint(name_or_file, names_of(json_files(folders)))));
}

std::vector<std::pair<std::string, std::string>> list_machines() {
  std::vector<std::pair<std::string, std::string>> machines;
  for (const auto& [name, file] : json_files(platform_folders(std::nullopt))) {
    try {
      machines.emplace_back(name, describe(*load_machine(name)->topology));
    } catch (const InputError& error) {
      machines.emplace_back(name, fmt::format("unusable: {}", error.what()));
    }
  }
  return machines;
}

}  // namespace dcube
