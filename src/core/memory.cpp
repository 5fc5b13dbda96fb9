#include "dcube/core/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace dcube {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  return limit == unlimited ? unlimited : limit - std::min(limit, used);
}

/// The number after `key`, or at the beginning without a key; else `otherwise` ("max").
std::uint64_t number_in(const fs::path& file, std::uint64_t otherwise, std::string_view key = {}) {
  std::ifstream in{file};
  for (std::string word; word != key && in >> word;) {
  }
  std::uint64_t number = 0;
  return in >> number ? number : otherwise;
}

constexpr std::uint64_t bytes_per_kib = 1024;

std::uint64_t available_in_computer() {
  const std::uint64_t kib = number_in("/proc/meminfo", unlimited, "MemAvailable:");
  return kib == unlimited ? unlimited : kib * bytes_per_kib;
}

/// Names in a hierarchy of control groups that limits memory.
struct GroupHierarchy {
  const char* line_start;  ///< before the path of our group in /proc/self/cgroup
  const char* root;
  const char* limit;
  const char* current;
  const char* droppable;  ///< part of `current` that the kernel gives up when asked
};

constexpr std::array<GroupHierarchy, 2> group_hierarchies{
    {{"0::/", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
     {":memory:/", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
      "total_inactive_file"}}};

std::uint64_t available_in_group(const GroupHierarchy& hierarchy, const fs::path& group) {
  const std::uint64_t current = number_in(group / hierarchy.current, 0);
  const std::uint64_t droppable = number_in(group / "memory.stat", 0, hierarchy.droppable);
  return difference(number_in(group / hierarchy.limit, unlimited), difference(current, droppable));
}

/// Every group on the way up limits those below.
std::uint64_t available_in_groups(const GroupHierarchy& hierarchy) {
  std::ifstream in{"/proc/self/cgroup"};
  std::uint64_t least = available_in_group(hierarchy, hierarchy.root);
  for (std::string line; std::getline(in, line);) {
    const std::size_t start = line.find(hierarchy.line_start);
    if (start == std::string::npos) {
      continue;
    }
    fs::path group = line.substr(start + std::string_view{hierarchy.line_start}.size());
    for (; !group.empty(); group = group.parent_path()) {
      least = std::min(least, available_in_group(hierarchy, hierarchy.root / group));
    }
  }
  return least;
}

std::uint64_t available_in_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return unlimited;
  }
  const std::uint64_t used_kib = number_in("/proc/self/status", 0, "VmSize:");
  return difference(limit.rlim_cur, used_kib * bytes_per_kib);
}

/// Bytes. Less than this nearly always fits, and measuring reads several files.
constexpr std::uint64_t much = 16'000'000;

std::string readable(std::uint64_t bytes) {
  const double count = static_cast<double>(bytes) / 1e9;
  return fmt::format("{:.{}f} GB", count, count < 10 ? 1 : 0);
}

}  // namespace

std::uint64_t available_memory_bytes() {
  std::uint64_t available = std::min(available_in_computer(), available_in_address_space());
  for (const GroupHierarchy& hierarchy : group_hierarchies) {
    available = std::min(available, available_in_groups(hierarchy));
  }
  return available;
}

void expect_fits_in_memory(std::string_view what, std::uint64_t needed, std::string_view way_out) {
  // Measuring takes as long as a small run, so the last result serves small needs for a moment.
  struct Seen {
    std::uint64_t available = 0;
    std::chrono::steady_clock::time_point time{};
  };
  thread_local Seen seen;
  constexpr std::chrono::milliseconds moment{100};
  constexpr std::uint64_t little = 8;
  constexpr std::uint64_t most_unseen = 256'000'000;  // limits may change meanwhile
  const auto now = std::chrono::steady_clock::now();
  if (needed < much ||
      (needed <= std::min(seen.available / little, most_unseen) && now - seen.time < moment)) {
    return;
  }
  const std::uint64_t available = available_memory_bytes();
  seen = {available, now};
  if (needed > available) {
    throw MemoryError("", fmt::format("{} does not fit in memory (it takes about {}, and {} are "
                                      "available); {}",
                                      what, readable(needed), readable(available), way_out));
  }
}

}  // namespace dcube
