// Damages traces that libraries have written, and feeds their readers with them in this process:
//
//     trace_fuzz TRACES FOLDER ROUNDS SEED
//
// TRACES is `chakra` (fields and bytes of two ranks' traces), `otf2-records` (what libotf2 tells of
// an archive) or `otf2-bytes` (the archive's files, which are in FOLDER; best in memory: /dev/shm).
// Whatever the damage, the reader must take it, and then the program must run, or complain with an
// InputError of one line. Anything else, and a crash, is a defect; its input is in FOLDER.
//
// With `otf2-bytes` libotf2 reads what is damaged, and may crash, take all memory or never end. A
// child process does this part, as in dcube itself. How often it ends while libotf2 reads is
// printed, and is no defect of dcube. Each round depends on SEED and its own number alone.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/address_sanitizer.hpp"
#include "damaged_traces.hpp"
#ifndef DCUBE_WITHOUT_CHAKRA
#include "damaged_chakra.hpp"
#endif
#ifndef DCUBE_WITHOUT_OTF2
#include "damaged_otf2.hpp"
#endif

#ifdef DCUBE_ADDRESS_SANITIZER
/// Damaged files ask for any amount of memory.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=1024:hard_rss_limit_mb=3000";
}
#endif

namespace dcube::testing {
namespace {

std::unique_ptr<Traces> traces_of(std::string_view name, const fs::path& folder) {
#ifndef DCUBE_WITHOUT_CHAKRA
  if (name == "chakra") {
    return std::make_unique<ChakraTraces>(folder);
  }
#endif
#ifndef DCUBE_WITHOUT_OTF2
  if (name == "otf2-records") {
    return std::make_unique<Otf2Records>(folder);
  }
  if (name == "otf2-bytes") {
    return std::make_unique<Otf2Bytes>(folder);
  }
#endif
  return nullptr;
}

struct Rounds {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  std::uint64_t seed = 0;
};

/// Goes through rounds until one misbehaves. `at` is the next.
int go_through(Traces& traces, std::string_view name, const Rounds& rounds,
               volatile std::uint64_t& at) {
  // Of computing, after which the system ends the process.
  itimerval limit{};
  if (traces.may_crash()) {
    limit.it_value.tv_usec = 500'000;  // sound traces take a few milliseconds
  } else {
    limit.it_value.tv_sec = 60;
  }
  traces.mend();
  while (at < rounds.end) {
    setitimer(ITIMER_PROF, &limit, nullptr);
    const std::uint64_t round = at;
    at = round + 1;
    Mutator mutator{rounds.seed << 40U ^ round, pieces};
    if (const std::string wrong = traces.read_damaged(mutator); !wrong.empty()) {
      traces.keep();
      fmt::print(stderr, "{} {} in round {}\n", name, wrong, round);
      return 1;
    }
  }
  return 0;
}

/// The same in children, which may crash. A child is replaced now and then, because libotf2 keeps
/// memory of archives that it cannot read.
int go_through_in_children(Traces& traces, std::string_view name, const Rounds& rounds) {
  constexpr std::uint64_t rounds_of_child = 2000;
  progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::uint64_t& at = progress->next;
  at = rounds.next;
  std::map<int, std::uint64_t> ended_by;
  while (at < rounds.end) {
    const Rounds share{at, std::min(rounds.end, at + rounds_of_child), rounds.seed};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const int status = go_through(traces, name, share, at);
      std::fflush(nullptr);
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) {
      continue;
    }
    if (!std::exchange(progress->is_in_library, false)) {
      fmt::print(stderr, "{} fails in round {}, not in the library\n", name, at - 1);
      return 1;
    }
    ++ended_by[WIFSIGNALED(status) ? WTERMSIG(status) : 0];
  }
  for (const auto& [signal, times] : ended_by) {
    fmt::print("{} ended {} of {} rounds: {}\n", name, times, rounds.end,
               signal == 0 ? "a sanitizer" : strsignal(signal));
  }
  return 0;
}

std::uint64_t number_of(const char* text) {
  std::uint64_t number = 0;
  std::from_chars(text, text + std::string_view{text}.size(), number);
  return number;
}

int fuzz(int argc, char** argv) {
  constexpr int arguments = 5;
  if (argc != arguments) {
    fmt::print(stderr, "trace_fuzz TRACES FOLDER ROUNDS SEED\n");
    return 2;
  }
  const std::unique_ptr<Traces> traces = traces_of(argv[1], argv[2]);
  if (traces == nullptr) {
    fmt::print(stderr, "{} are no traces that this dcube reads\n", argv[1]);
    return 2;
  }
#ifndef DCUBE_ADDRESS_SANITIZER
  constexpr rlim_t most_bytes = rlim_t{4} << 30;
  const rlimit limit{most_bytes, most_bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
  const Rounds rounds{0, number_of(argv[3]), number_of(argv[4])};
  run(traces->read_sound());  // or nothing would be tried
  std::uint64_t at = 0;
  return traces->may_crash() ? go_through_in_children(*traces, argv[1], rounds)
                             : go_through(*traces, argv[1], rounds, at);
}

}  // namespace
}  // namespace dcube::testing

int main(int argc, char** argv) { return dcube::testing::fuzz(argc, argv); }
