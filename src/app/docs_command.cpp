#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/refuse.hpp"
#include "dcube/scenario/machines.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

/// The first page of the book: installed beside the data, or made by scripts/docs in a source tree.
std::optional<fs::path> first_page() {
  for (const fs::path& data : data_folders()) {
    for (const char* book : {"../doc/dcube/html", "build/docs/html"}) {
      const fs::path page = fs::absolute(data / book / "index.html").lexically_normal();
      std::error_code unknown;
      if (fs::is_regular_file(page, unknown)) {
        return page;
      }
    }
  }
  return std::nullopt;
}

bool has_display() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

/// Whether the desktop has opened the file.
bool open_in_browser(std::string file) {
  std::string opener = "xdg-open";
  const std::array<char*, 3> arguments{opener.data(), file.data(), nullptr};
  pid_t process = 0;
  int status = 0;
  return posix_spawnp(&process, opener.c_str(), nullptr, nullptr, arguments.data(), environ) == 0 &&
         waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

ExitStatus show_docs() {
  const std::optional<fs::path> page = first_page();
  refuse_if(!page, "docs",
            "the book is not installed; install the package dcube-doc, or run "
            "scripts/docs in the source tree");
  if (!has_display() || !open_in_browser(page->string())) {
    print(page->string() + "\n");
  }
  return ExitStatus::done;
}

}  // namespace

void docs_command(CommandLine& line) {
  Parser parser = line.add(
      "docs", "Open the book in a browser, or say where it is when there is no display", show_docs);
  parser.examples("dcube docs");
}

}  // namespace dcube::app
