#include "child_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>

#include "core/address_sanitizer.hpp"
#include "core/argument_pointers.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 16;
constexpr int most_seconds_of_silence = 60;
/// Limit on the child's memory beyond that of the parent.
constexpr std::uint64_t most_memory = std::uint64_t{4} << 30;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) {
      ::close(number_);
      number_ = -1;
    }
  }

 private:
  int number_;
};

/// A child process, which is killed when this is destroyed.
class Child {
 public:
  explicit Child(pid_t process) : process_{process} {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      wait();
    }
  }
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_;
};

/// Sets the computing time after which the system kills the child.
void start_timer() {
  itimerval limit{};
  limit.it_value.tv_sec = most_seconds_of_silence;
  ::setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

/// Limits memory, as a damaged file may ask for any amount.
void limit_memory() {
#ifndef DCUBE_ADDRESS_SANITIZER  // whose shadow takes terabytes of addresses
  std::uint64_t pages = 0;
  if (std::ifstream{"/proc/self/statm"} >> pages) {
    const std::uint64_t most =
        pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + most_memory;
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
  }
#endif
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      ::_exit(1);  // the parent has closed the pipe
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  start_timer();
}

/// What a child does with the descriptor that it writes to.
using ChildCode = std::function<void(int descriptor)>;

/// Prepares the child and runs its code. Skips the parent's exit handlers.
[[noreturn]] void be_child(int descriptor, const ChildCode& code) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGVTALRM}) {
    ::signal(signal, SIG_DFL);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC); nowhere >= 0) {
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  limit_memory();
  start_timer();
  int status = 1;
  try {
    code(descriptor);
    status = 0;
  } catch (const std::exception&) {
    status = 1;
  }
  ::_exit(status);
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGVTALRM
               ? fmt::format("it computed for {} s without an end", most_seconds_of_silence)
               : fmt::format("it was ended by signal {} ({})", signal, ::strsignal(signal));
  }
  return WEXITSTATUS(status) == 0 ? "" : "it failed";
}

std::string consume_from(const ChildCode& code,
                         const std::function<void(std::string_view)>& consume) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw InputError("", fmt::format("cannot make a pipe ({})", std::strerror(errno)));
  }
  Descriptor from{ends[0]};
  Descriptor to{ends[1]};
  const pid_t process = ::fork();
  if (process < 0) {
    throw InputError("", fmt::format("cannot start a process ({})", std::strerror(errno)));
  }
  if (process == 0) {
    from.close();
    be_child(to.number(), code);
  }
  Child child{process};
  to.close();
  std::array<char, bytes_at_once> buffer;
  for (;;) {
    const ssize_t read = ::read(from.number(), buffer.data(), buffer.size());
    if (read > 0) {
      consume({buffer.data(), static_cast<std::size_t>(read)});
    } else if (read == 0) {
      break;
    } else if (errno != EINTR) {
      throw InputError("", fmt::format("cannot read from a pipe ({})", std::strerror(errno)));
    }
  }
  return ending(child.wait());
}

}  // namespace

std::string consume_from_child(
    const std::function<void(const std::function<void(std::string_view)>& write)>& produce,
    const std::function<void(std::string_view)>& consume) {
  return consume_from(
      [&](int descriptor) {
        std::string buffer;
        buffer.reserve(2 * bytes_at_once);
        produce([&](std::string_view bytes) {
          buffer += bytes;
          if (buffer.size() >= bytes_at_once) {
            write_all(descriptor, buffer);
            buffer.clear();
          }
        });
        write_all(descriptor, buffer);
      },
      consume);
}

std::string consume_from_program(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments,
                                 const std::function<void(std::string_view)>& consume) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> pointers = argument_pointers(words);
  return consume_from(
      [&](int descriptor) {
        ::dup2(descriptor, STDOUT_FILENO);  // stays open in the program
        ::execv(program.c_str(), pointers.data());
        throw InputError("", "the program cannot be started");
      },
      consume);
}

}  // namespace dcube
