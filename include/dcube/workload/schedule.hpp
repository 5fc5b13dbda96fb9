#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

// Programs as data: what readers of traces and patterns make, and what one program executes.

/// One step of a process.
struct Operation {
  enum class Kind : std::uint8_t {
    compute,       ///< `amount` picoseconds
    send,          ///< goes on when the message has left
    receive,       ///< goes on when it has the message
    post_send,     ///< goes on; the message is that of `request`
    post_receive,  ///< likewise
    wait,          ///< for `request`
    wait_all,      ///< for everything that is posted
    collective     ///< number `amount` of the schedule's
  };

  Kind kind = Kind::compute;
  std::uint8_t cpu = 0;         ///< that executes it, in graphs
  std::uint16_t interface = 0;  ///< that sends or receives it, in graphs
  Tag tag = 0;                  ///< or any_tag
  ProcessId peer{};             ///< or anyone
  std::uint32_t request = 0;
  std::uint64_t amount = 0;  ///< messages: bytes

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// A collective that the processes of a group call.
struct ScheduledCollective {
  CollectiveKind kind = CollectiveKind::barrier;
  std::uint32_t root = 0;   ///< a rank of the group
  std::uint64_t count = 0;  ///< as in CollectiveCall
  std::uint64_t element_bytes = 1;
  std::vector<std::uint64_t> counts{};  ///< unequal shares
  /// The group, by its ranks: processes of the schedule. Empty: all.
  std::vector<std::uint32_t> members{};
  /// all_to_allv: of each rank of the group what it sends to every rank, then what it receives.
  std::vector<std::vector<std::uint64_t>> of_ranks{};
};

/// What the operations of a process wait for: that others are done, or have only started. The
/// graphs of a schedule are in the order of its processes.
class OperationGraph {
 public:
  struct Edge {
    std::uint32_t before = 0;  ///< operations of the process, less than 2^31
    std::uint32_t after = 0;
    bool is_started = false;  ///< `after` may start when `before` has started
  };
  /// An operation that waits for another.
  class Follower {
   public:
    Follower() = default;
    Follower(std::uint32_t operation, bool is_started)
        : word_{operation << 1U | (is_started ? 1U : 0U)} {}
    std::uint32_t operation() const { return word_ >> 1U; }
    /// It waits for the start only.
    bool is_started() const { return (word_ & 1U) != 0; }

   private:
    std::uint32_t word_ = 0;
  };

  OperationGraph() = default;
  /// Less than 2^32 edges between so many operations.
  OperationGraph(std::size_t operations, std::span<const Edge> edges);

  /// In the order of the edges.
  std::span<const Follower> followers(std::uint32_t operation) const {
    return std::span{followers_}.subspan(first_[operation],
                                         first_[operation + 1] - first_[operation]);
  }
  /// Of all operations, one after the other.
  std::span<const Follower> followers() const { return followers_; }
  /// How many others each operation waits for.
  std::vector<std::uint32_t> missing() const;
  /// Of memory that it takes.
  std::uint64_t data_bytes() const;

 private:
  std::vector<std::uint32_t> first_;  ///< followers of each operation, and the end of all
  std::vector<Follower> followers_;
};

/// What the operations of a graph occupy.
enum class GraphRules : std::uint8_t {
  /// Sends and receives a cpu and a network interface (LogGP).
  loggp,
  /// Computing one of two processors, sends and collectives the network; receives nothing.
  resources
};
/// Operation::cpu under GraphRules::resources: a processor, another one, or none.
inline constexpr std::uint8_t host_processor = 0;
inline constexpr std::uint8_t accelerator = 1;
inline constexpr std::uint8_t no_processor = 2;

/// What every process does. A sequence of operations, or a graph: then everything that waits for
/// nothing may start at once.
struct Schedule {
  std::vector<std::vector<Operation>> processes;
  std::vector<ScheduledCollective> collectives;
  /// Empty: the operations of a process are a sequence.
  std::vector<OperationGraph> graphs;
  GraphRules rules = GraphRules::loggp;
  /// What was left out, by its name, and how often.
  std::map<std::string, std::uint64_t> ignored;
  /// The time of what was left out, where it had one: what it took in all processes.
  std::map<std::string, Ticks> ignored_times;

  std::uint64_t operation_count() const;
  /// Of memory that it takes.
  std::uint64_t data_bytes() const;
};

/// What a schedule needs to know to be a program.
struct ScheduleSettings {
  Guest guest = Guest::of_processes(1);
  /// How collectives are carried out; those of a kind that is not here automatically.
  std::map<CollectiveKind, std::string> algorithms{};
  /// Graphs: a CSV file to write, with the instant at which each process was last busy. Empty:
  /// none.
  std::filesystem::path ends{};
};

/// A program whose processes do what a schedule says, under the name `kind`, which must outlive it.
/// Its answer counts operations and what was left out.
std::unique_ptr<Program> make_scheduled_program(std::string_view kind, Schedule schedule,
                                                const ScheduleSettings& settings,
                                                const ProgramContext& context);

}  // namespace dcube
