#include "named_temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// One name. Its owner writes the path before `owner`, its process id; readers check `owner` first.
struct Slot {
  std::atomic<pid_t> owner{0};
  std::array<char, PATH_MAX> path;
};

constexpr int slot_count = 256;
constexpr pid_t being_filled = -1;
constexpr useconds_t polling_us = 100;
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// Slots shared with forked children, so that this process cleans up after one that was killed.
/// Null when there is no memory for them.
Slot* map_slots() {
  void* memory = ::mmap(nullptr, sizeof(Slot) * slot_count, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Slot*>(memory);  // zeros are free slots
}

// Made before main(), so that every child shares them and no signal handler makes them.
Slot* const slots = map_slots();
std::atomic_flag is_paused = ATOMIC_FLAG_INIT;

/// Puts `path` into a free slot and returns its index; -1 when there is none.
int occupy(const std::string& path) {
  for (int i = 0; slots != nullptr && path.size() < PATH_MAX && i < slot_count; ++i) {
    pid_t nobody = 0;
    if (slots[i].owner.compare_exchange_strong(nobody, being_filled)) {
      std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
      slots[i].owner = ::getpid();
      return i;
    }
  }
  return -1;
}

std::string random_name() {
  std::random_device random;
  return fmt::format(".dcube-{:08x}{:08x}{:08x}.tmp", random(), random(), random());
}

bool is_random_name(std::string_view name) {
  constexpr std::size_t length = std::string_view{".dcube-012345670123456701234567.tmp"}.size();
  return name.starts_with(".dcube-") && name.ends_with(".tmp") && name.size() == length;
}

/// Removes a file that its writer no longer has open. Where there are no locks, nobody knows.
void remove_if_left(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    return;
  }
  constexpr std::time_t day_s = 86'400;
  struct stat status {};
  // A file may be a moment old, and not yet locked.
  if (::fstat(descriptor, &status) == 0 && ::time(nullptr) - status.st_mtime > day_s &&
      ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    ::unlink(file.c_str());
  }
  ::close(descriptor);
}

void remove_left_files(const fs::path& folder) {
  thread_local std::set<fs::path> seen;
  if (!seen.insert(folder).second) {
    return;
  }
  std::error_code error;
  fs::directory_iterator entry{folder, error};
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    if (is_random_name(entry->path().filename().string())) {
      remove_if_left(entry->path());
    }
  }
}

}  // namespace

SignalPause::SignalPause() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
  while (is_paused.test_and_set(std::memory_order_acquire)) {
    ::usleep(polling_us);
  }
}

SignalPause::~SignalPause() {
  is_paused.clear(std::memory_order_release);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

NamedTemporary::NamedTemporary(const std::filesystem::path& folder)
    : path_{folder / random_name()} {
  std::error_code ignored;
  slot_ = occupy(std::filesystem::absolute(path_, ignored).string());
  remove_left_files(std::filesystem::absolute(folder, ignored));
}

NamedTemporary::~NamedTemporary() {
  if (!path_.empty()) {
    ::unlink(path_.c_str());
    release();
  }
}

void NamedTemporary::release() {
  if (slot_ >= 0) {
    slots[slot_].owner = 0;
  }
  slot_ = -1;
  path_.clear();
}

void remove_named_temporaries(pid_t owner) {
  if (owner == ::getpid()) {
    // Waits up to a second for a thread that is creating a file; no longer, as that may be this
    // thread, which aborted meanwhile. The pause is never released: the process is about to end.
    constexpr int attempts = 1'000'000 / polling_us;
    for (int i = 0; i < attempts && is_paused.test_and_set(std::memory_order_acquire); ++i) {
      ::usleep(polling_us);
    }
  }
  for (int i = 0; slots != nullptr && i < slot_count; ++i) {
    if (slots[i].owner == owner) {
      ::unlink(slots[i].path.data());
      slots[i].owner = 0;
    }
  }
}

}  // namespace dcube
