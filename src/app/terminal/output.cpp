#include "output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "dcube/core/errors.hpp"

namespace dcube::app {

void print(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!is_written || std::fflush(stdout) != 0) {
    throw InputError("standard output", std::strerror(errno));
  }
}

void complain(std::string_view message) { fmt::print(stderr, "dcube: {}\n", message); }

}  // namespace dcube::app
