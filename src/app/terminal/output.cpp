#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <set>
#include <utility>

#include "core/fields.hpp"
#include "core/printable.hpp"

namespace dcube::app {
namespace {

int first_error = 0;  ///< of standard output
std::vector<std::vector<std::string>> known_options;

/// "--process-count" for process_count, "--embedding" for embeddings, "SCENARIO" for scenario.
std::optional<std::string> option_of(std::string_view field) {
  std::string option = "--" + std::string{field};
  std::ranges::replace(option, '_', '-');
  std::string argument{field};
  std::ranges::transform(argument, argument.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::string singular = option.ends_with('s') ? option.substr(0, option.size() - 1) : option;
  for (const std::vector<std::string>& options : known_options) {
    for (const std::string& name : {option, singular, argument}) {
      if (std::ranges::find(options, name) != options.end()) {
        return name;
      }
    }
  }
  return std::nullopt;
}

void write_complaint(std::string_view message, LineBreaks line_breaks) noexcept {
  try {
    print_error(
        fmt::format("dcube: {}\n", printable(with_fields_named(message, option_of), line_breaks)));
  } catch (const std::exception&) {  // no memory for a message: the exit status says enough
  }
}

}  // namespace

void name_fields_by(std::vector<std::vector<std::string>> options) {
  known_options = std::move(options);
}

void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // Opened for reading, standard output fails on every write, as a closed one must. The lowest
      // free descriptor is this one, because those below it are taken by now.
      open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

void print(std::string_view text) {
  if (first_error != 0) {
    return;
  }
  const std::string shown = printable(text, LineBreaks::kept);
  const bool is_written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
  if (!is_written || std::fflush(stdout) != 0) {
    first_error = errno;
  }
}

std::optional<std::string> output_failure() {
  if (first_error == 0 || first_error == EPIPE) {
    return std::nullopt;
  }
  return fmt::format("standard output: cannot be written ({})",
                     first_error == EBADF ? "it is closed" : std::strerror(first_error));
}

void complain(std::string_view message) noexcept { write_complaint(message, LineBreaks::escaped); }

void complain_once(const std::string& message) {
  static std::set<std::string> said;
  if (!message.empty() && said.insert(message).second) {
    complain(message);
  }
}

void complain_in_lines(std::string_view message) noexcept {
  write_complaint(message, LineBreaks::kept);
}

void print_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

}  // namespace dcube::app
