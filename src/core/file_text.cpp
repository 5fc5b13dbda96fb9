#include "file_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "dcube/core/errors.hpp"

namespace dcube {

std::string file_text(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(file.string(), "cannot be read (it is a directory)");
  }
  errno = 0;
  std::ifstream stream{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
  if (!stream.is_open() || stream.bad()) {
    throw InputError(file.string(), fmt::format("cannot be read ({})", std::strerror(errno)));
  }
  return text;
}

}  // namespace dcube
