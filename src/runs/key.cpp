#include "key.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/file_text.hpp"
#include "core/refuse.hpp"

namespace dcube {

void KeyMaker::add_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    add(file_text(file));  // a pipe, which can be read once
    return;
  }
  const auto refuse_unless = [&](bool is_fine, const std::string& reason) {
    refuse_if(!is_fine, file.string(), "cannot be read ({})", reason);
  };
  errno = 0;
  std::ifstream stream{file, std::ios::binary};
  refuse_unless(stream.is_open(), std::strerror(errno));
  add_word(std::filesystem::file_size(file, error));
  refuse_unless(!error, error.message());
  std::array<char, std::size_t{1} << 16> part{};
  while (stream) {
    stream.read(part.data(), part.size());
    add_part({part.data(), static_cast<std::size_t>(stream.gcount())});
  }
  refuse_unless(!stream.bad(), std::strerror(errno));
}

}  // namespace dcube
