#pragma once

// Traces that are damaged and read: what all kinds share.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/program/program.hpp"
#include "misbehaviour.hpp"
#include "support/kernel_runner.hpp"
#include "support/mutator.hpp"
#include "support/simulated_program.hpp"
#include "workload/trace_settings.hpp"

namespace dcube::testing {

namespace fs = std::filesystem;

inline const std::vector<std::string> pieces{std::string(1, '\0'),
                                             "\xff\xff\xff\xff",
                                             std::string(8, '\x7f'),
                                             "\x80\x01",
                                             "\x0a",
                                             "comm_size",
                                             "comm_dst",
                                             "pg_name"};

/// Values at the ends of ranges, and small ones.
inline std::uint64_t value(Mutator& mutator) {
  static constexpr std::uint64_t ends[] = {0,
                                           1,
                                           0x7f,
                                           0xff,
                                           0xffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x100000000,
                                           std::uint64_t{1} << 53,
                                           std::uint64_t{1} << 62,
                                           0x7fffffffffffffff,
                                           ~std::uint64_t{0}};
  switch (mutator.below(3)) {
    case 0:
      return ends[mutator.below(std::size(ends))];
    case 1:
      return mutator.below(8);
    default:
      return std::uint64_t{mutator.below(1U << 20)} << mutator.below(44);
  }
}

/// Runs the program of a schedule, process i on node i, where it has few processes.
inline void run(Schedule schedule) {
  static const Machine machine = uneven_machine("kind=torus,shape=4x2");
  if (schedule.processes.size() > machine.topology->node_count()) {
    return;
  }
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < schedule.processes.size(); ++rank) {
    map.emplace_back(rank);
  }
  const std::unique_ptr<Program> program =
      make_scheduled_program("trace", std::move(schedule), Params{"s.json: /program"}, {machine});
  run_without_simgrid({.machine = machine,
                       .map = map,
                       .body = [&](Process& process) { return program->run(process); },
                       .program_pays_endpoints = program->pays_endpoints()});
}

/// What is wrong with how `read` behaves; nothing when it gives a schedule that runs, or complains.
inline std::string misbehaviour(const std::function<Schedule()>& read) {
  return misbehaviour_of([&] { run(read()); });
}

inline void write(const fs::path& file, std::string_view bytes) {
  // A new file: emptying one makes some file systems write to the disk at once.
  fs::remove(file);
  std::ofstream{file, std::ios::binary} << bytes;
}

/// What a child says to its parent while it reads.
struct Progress {
  std::uint64_t next = 0;  ///< round
  bool is_in_library = false;
};
inline Progress* progress = nullptr;  ///< of this child

/// A kind of traces.
class Traces {
 public:
  explicit Traces(fs::path folder) : folder_{std::move(folder)} {}
  virtual ~Traces() = default;
  /// What the sound traces say.
  virtual Schedule read_sound() = 0;
  /// The complaint of one damaged trace, or nothing.
  virtual std::string read_damaged(Mutator& mutator) = 0;
  /// Puts what was read last into the folder, if it is not there.
  virtual void keep() const {}
  /// Puts sound traces into the folder, after a child that may have left damaged ones.
  virtual void mend() {}
  /// Whether a child should read, because a library may crash.
  virtual bool may_crash() const { return false; }

 protected:
  fs::path folder_;
};

}  // namespace dcube::testing
