// How long does a command take from its start to its end, and how much memory at most? One run;
// prints one line of JSON. A small program does this because the peak memory of a child counts what
// its parent held while starting it.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>

namespace {

/// Its standard output is thrown away. -1 when it cannot be started.
pid_t start(char** command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  if (posix_spawn(&child, command[0], &actions, nullptr, command, environ) != 0) {
    child = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: start_up COMMAND [WORD...]\n", stderr);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(argv + 1);
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fprintf(stderr, "start_up: %s did not run to a good end\n", argv[1]);
    return 1;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::printf("{\"wall_s\": %.9g, \"peak_memory\": %.0f}\n", wall.count(),
              static_cast<double>(usage.ru_maxrss) * 1024);
  return 0;
}
