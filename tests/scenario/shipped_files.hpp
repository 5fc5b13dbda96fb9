#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace dcube {

/// Whether this build lacks the reader of the trace that a scenario is about, by its name.
inline bool is_left_out([[maybe_unused]] const std::string& name) {
#ifdef DCUBE_WITHOUT_OTF2
  if (name.find("-otf2-") != std::string::npos) {
    return true;
  }
#endif
#ifdef DCUBE_WITHOUT_CHAKRA
  if (name.find("-chakra-") != std::string::npos) {
    return true;
  }
#endif
  return false;
}

/// The JSON files of a folder of the source tree, sorted, without those that this build lacks the
/// readers for.
inline std::vector<std::filesystem::path> shipped_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::filesystem::path{DCUBE_SOURCE_DIR} / folder}) {
    if (entry.path().extension() == ".json" && !is_left_out(entry.path().stem().string())) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace dcube
