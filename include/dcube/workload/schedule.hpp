#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
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

// Programs as data: readers of traces and patterns make them, and one program executes them.

/// One step of a process.
struct Operation {
  enum class Kind : std::uint8_t {
    compute,       ///< `amount` picoseconds
    send,          ///< continues when the message has left
    receive,       ///< continues when the message has arrived
    post_send,     ///< continues at once; `request` is the message's
    post_receive,  ///< continues at once, likewise
    wait,          ///< for `request`
    wait_all,      ///< for all that is posted
    collective,    ///< number `amount` of the schedule's collectives
    start          ///< such a collective, and continues at once; `request` is its request
  };

  Kind kind = Kind::compute;
  std::uint8_t cpu = 0;         ///< graphs: the cpu that executes it
  std::uint16_t interface = 0;  ///< graphs: the interface, or network, that sends or receives it
  Tag tag = 0;                  ///< or any_tag
  ProcessId peer{};             ///< or anyone
  std::uint32_t request = 0;
  std::uint64_t amount = 0;  ///< messages: in bytes

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// How a collective is done where the settings of a program do not say.
struct CollectiveManner {
  std::string algorithm = "automatic";
  std::uint32_t ports = 1;             ///< as ScheduleSettings::ports
  std::vector<std::uint32_t> sides{};  ///< of the group as a torus; empty: none

  friend bool operator==(const CollectiveManner&, const CollectiveManner&) = default;
};

/// A collective call of the processes of a group.
struct ScheduledCollective {
  CollectiveKind kind = CollectiveKind::barrier;
  std::uint32_t root = 0;   ///< rank in the group
  std::uint64_t count = 0;  ///< as in CollectiveCall
  std::uint64_t element_bytes = 1;
  std::vector<std::uint64_t> counts{};  ///< unequal shares
  /// The group by its ranks: processes of the schedule. Empty: all.
  std::vector<std::uint32_t> members{};
  /// all_to_allv: [rank of the group]: its counts sent to every rank, then those received.
  std::vector<std::vector<std::uint64_t>> of_ranks{};
  CollectiveManner manner{};
};

/// Dependencies between the operations of a process. An operation waits until others are done, or
/// have started. The graphs of a schedule are in the order of its processes.
class OperationGraph {
 public:
  struct Edge {
    std::uint32_t before = 0;  ///< operation of the process, below 2^31
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
    /// Whether it waits for the start only.
    bool is_started() const { return (word_ & 1U) != 0; }

   private:
    std::uint32_t word_ = 0;
  };

  OperationGraph() = default;
  /// Takes fewer than 2^32 edges.
  OperationGraph(std::size_t operations, std::span<const Edge> edges);

  /// Followers of one operation, in the order of the edges.
  std::span<const Follower> followers(std::uint32_t operation) const {
    return std::span{followers_}.subspan(first_[operation],
                                         first_[operation + 1] - first_[operation]);
  }
  /// Followers of all operations, one after the other.
  std::span<const Follower> followers() const { return followers_; }
  /// [operation]: number of operations that it waits for.
  std::vector<std::uint32_t> missing() const;
  /// Bytes of memory.
  std::uint64_t data_bytes() const;

 private:
  std::vector<std::uint32_t> first_;  ///< [operation]: its first follower; then the end of all
  std::vector<Follower> followers_;
};

/// Resources that the operations of a graph occupy.
enum class GraphRules : std::uint8_t {
  /// LogGP: sends and receives occupy a cpu and a network interface.
  loggp,
  /// Computing occupies one of two processors, sends and collectives a network (sends: 0); receives
  /// nothing.
  resources
};
/// Operation::cpu under GraphRules::resources.
inline constexpr std::uint8_t host_processor = 0;
inline constexpr std::uint8_t accelerator = 1;
inline constexpr std::uint8_t no_processor = 2;

/// The operations of every process: a sequence, or a graph of operations that start when they can.
struct Schedule {
  std::vector<std::vector<Operation>> processes;
  std::vector<ScheduledCollective> collectives;
  /// Empty: the operations of a process are a sequence.
  std::vector<OperationGraph> graphs;
  GraphRules rules = GraphRules::loggp;
  /// Number of records left out, by name.
  std::map<std::string, std::uint64_t> ignored;
  /// Time of records left out, by name, where they had one: the sum over all processes.
  std::map<std::string, Ticks> ignored_times;

  std::uint64_t operation_count() const;
  /// Bytes of memory.
  std::uint64_t data_bytes() const;
};

/// Settings of a schedule that becomes a program.
struct ScheduleSettings {
  Guest guest = Guest::of_processes(1);
  /// Algorithms of collectives; kinds not listed have those of each collective.
  std::map<CollectiveKind, std::string> algorithms{};
  /// Most parts of a collective's data that travel at once; 0: as many as its algorithm can use.
  /// Nothing: those of each collective.
  std::optional<std::uint32_t> ports{};
  /// Graphs: CSV file to write, with the instant at which each process was last busy. Empty: none.
  std::filesystem::path ends{};
};

/// A program that executes a schedule, under the name `kind`, which must outlive it. Its answer
/// counts operations and records left out.
std::unique_ptr<Program> make_scheduled_program(std::string_view kind, Schedule schedule,
                                                const ScheduleSettings& settings,
                                                const ProgramContext& context);

}  // namespace dcube
