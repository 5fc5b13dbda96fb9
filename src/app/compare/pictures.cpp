#include "pictures.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "core/argument_pointers.hpp"
#include "core/named_temporary.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/write_file.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* script_name = "scripts/plot_folder.py";
constexpr const char* python_variable = "DCUBE_PYTHON";
// Found without being imported, which would take half a second.
constexpr const char* probe =
    "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('numpy', 'matplotlib'))))";

enum class Errors { shown, hidden, to_output };

/// A running program whose standard output can be read.
class Program {
 public:
  /// Throws std::system_error when no process can be started.
  Program(std::vector<std::string> arguments, Errors errors) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe");
    }
    output_ = ends[0];
    pid_ = fork();
    const int error = errno;
    if (pid_ == 0) {
      become(arguments, ends[1], errors);
    }
    close(ends[1]);
    if (pid_ < 0) {
      close(output_);
      throw std::system_error(error, std::generic_category(), arguments.front());
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (is_running_) {
      kill(pid_, SIGINT);
      wait();
    }
    close(output_);
  }

  /// Descriptor that is readable when the program has written something or has ended.
  int output() const { return output_; }

  /// Waits for the program's exit status; 128 + signal, as in a shell, when a signal ended it.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    is_running_ = false;
    constexpr int ended_by_signal = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : ended_by_signal + WTERMSIG(status);
  }

 private:
  [[noreturn]] static void become(std::vector<std::string>& arguments, int output, Errors errors) {
    const std::vector<char*> pointers = argument_pointers(arguments);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (errors == Errors::hidden) {
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    } else if (errors == Errors::to_output) {
      dup2(output, STDERR_FILENO);
    }
    // SIGINT ends the script, though this program blocks it for itself.
    std::signal(SIGINT, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvp(pointers.front(), pointers.data());
    constexpr int not_found = 127;
    _exit(not_found);
  }

  pid_t pid_ = -1;
  int output_ = -1;
  bool is_running_ = true;
};

bool can_draw(const std::string& python) {
  return Program{{python, "-c", probe}, Errors::hidden}.wait() == 0;
}

/// An interpreter that has matplotlib: the one the environment names, or Debian's, or the first on
/// PATH.
std::optional<std::string> drawing_python() {
  std::vector<std::string> candidates{"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv(python_variable); chosen != nullptr && *chosen != '\0') {
    candidates = {chosen};
  }
  const auto found = std::ranges::find_if(candidates, can_draw);
  return found == candidates.end() ? std::nullopt : std::optional{*found};
}

std::optional<fs::path> drawing_script(const std::string& name) {
  for (const fs::path& folder : data_folders()) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) {
      return folder / name;
    }
  }
  return std::nullopt;
}

/// Follows the script, which says a line for each picture, to its end; adds what it says to `said`.
/// False when SIGINT has come.
bool follow(const Program& program, const InterruptWatch& interrupt, std::string& said) {
  Progress progress{ProgressOutput::on_terminal, "drawing pictures"};
  std::size_t drawn = 0;
  std::array<char, 4096> buffer;
  while (true) {
    std::array<pollfd, 2> descriptors{
        {{interrupt.descriptor(), POLLIN, 0}, {program.output(), POLLIN, 0}}};
    poll(descriptors.data(), descriptors.size(), -1);
    if (descriptors.front().revents != 0) {
      return false;
    }
    if (descriptors.back().revents == 0) {
      continue;
    }
    const ssize_t count = read(program.output(), buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return true;
    }
    const auto end = buffer.begin() + std::max<ssize_t>(count, 0);
    drawn += static_cast<std::size_t>(std::count(buffer.begin(), end, '\n'));
    said.append(buffer.begin(), end);
    progress.show(fmt::format("{} done", drawn));
  }
}

/// The reason in a script's complaint, "plot_sweep: FILE: too many lines"; FILE is one of its
/// arguments.
std::string reason_in(std::string_view said, const std::vector<std::string>& arguments) {
  const auto skip_to = [&](const std::string& place) {
    const std::size_t at = said.find(place + ": ");
    said.remove_prefix(at == std::string_view::npos ? 0 : at + place.size() + 2);
  };
  skip_to("");
  std::ranges::for_each(arguments, skip_to);
  return std::string{said.substr(0, said.find_last_not_of('\n') + 1)};
}

/// Runs the script to its end. `complain_of` says why there is no picture; only if `is_quoting`,
/// complaints of the script, too.
ExitStatus run_script(const std::string& name, const std::vector<std::string>& arguments,
                      const InterruptWatch& interrupt,
                      const std::function<void(const std::string&)>& complain_of, bool is_quoting) {
  const auto no_pictures = [&](const std::string& why) {
    complain_of(why);
    return ExitStatus::unusable_input;
  };
  const std::optional<fs::path> script = drawing_script(name);
  if (!script) {
    return no_pictures(fmt::format("{} is not where dcube keeps its files", name));
  }
  try {
    const std::optional<std::string> python = drawing_python();
    if (!python) {
      return no_pictures("they need Debian's package python3-matplotlib");
    }
    // -B: nothing is kept beside the script, whose folder may belong to a package.
    std::vector<std::string> words{*python, "-B", script->string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Program program{std::move(words), is_quoting ? Errors::to_output : Errors::shown};
    std::string said;
    if (!follow(program, interrupt, said)) {
      return ExitStatus::interrupted;
    }
    constexpr int complained = 2;  // in words of its own
    const int status = program.wait();
    if (status == complained && is_quoting) {
      return no_pictures(reason_in(said, arguments));
    }
    if (status != 0 && status != complained) {
      if (is_quoting) {
        fmt::print(stderr, "{}", said);
      }
      return no_pictures(fmt::format("{} ended with exit status {}", name, status));
    }
    return status == 0 ? ExitStatus::done : ExitStatus::unusable_input;
  } catch (const std::system_error& error) {
    return no_pictures(error.what());
  }
}

}  // namespace

ExitStatus draw_pictures(const fs::path& folder, const InterruptWatch& interrupt) {
  return run_script(
      script_name, {"--", fs::absolute(folder).string()}, interrupt,
      [&](const std::string& why) {
        complain(fmt::format("{}: no pictures: {} (--no-pictures leaves them out)", folder.string(),
                             why));
      },
      false);
}

ExitStatus draw_picture(const std::string& script, const std::string& data, const fs::path& picture,
                        const InterruptWatch& interrupt) {
  const auto no_picture = [&](const std::string& why) {
    complain(fmt::format("{}: no picture: {}", picture.string(), why));
  };
  // The temporary file is beside the picture: the folder of temporary files may be gone.
  const NamedTemporary file{fs::absolute(picture).parent_path()};
  try {
    write_file(file.path(), data);
  } catch (const InputError& error) {
    no_picture(error.what());
    return ExitStatus::unusable_input;
  }
  return run_script(script, {file.path().string(), "--output", fs::absolute(picture).string()},
                    interrupt, no_picture, true);
}

}  // namespace dcube::app
