#pragma once

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "scenario/temporary_folder.hpp"

namespace dcube {

/// Numbers of the C library have a comma in them, as in much of the world, while this lives. The
/// locale is made of the C library's own C.utf8, for hardly any other is on every computer.
class CommaLocale {
 public:
  CommaLocale() {
    std::string numeric = file_content("/usr/lib/locale/C.utf8/LC_NUMERIC");
    const std::size_t point = numeric.find(std::string_view{".\0", 2});
    if (point == std::string::npos) {
      return;
    }
    numeric[point] = ',';
    std::filesystem::create_directory(folder_.path() / "commas");
    std::ofstream{folder_.path() / "commas/LC_NUMERIC", std::ios::binary} << numeric;
    ::setenv("LOCPATH", folder_.path().c_str(), 1);
    is_set_ = std::setlocale(LC_NUMERIC, "commas") != nullptr;
  }
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, "C");
    ::unsetenv("LOCPATH");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  /// Whether it could be made on this computer.
  bool is_set() const { return is_set_; }

 private:
  TemporaryFolder folder_;
  bool is_set_ = false;
};

}  // namespace dcube
