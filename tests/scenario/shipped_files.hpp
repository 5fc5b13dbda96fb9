#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace dcube {

/// The JSON files of a folder of the source tree, sorted.
inline std::vector<std::filesystem::path> shipped_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::filesystem::path{DCUBE_SOURCE_DIR} / folder}) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace dcube
