#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "dcube/core/random.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// Order of messages. Shifted: in round i to rank + i, then from rank - i. Pairwise: in round i to
/// and from rank xor i. At once: all are sent, then all received.
enum class AllToAllOrder { shifted, pairwise, at_once };

struct AllToAllSettings {
  AllToAllOrder order = AllToAllOrder::shifted;
  Ticks compute{0};
  std::uint64_t message_bytes = 0;
  std::uint32_t process_count = 0;
};

/// Every process sends a different message to every other, as in the transposition of a matrix with
/// a row per process: process p has the values of row p and gets those of column p.
class AllToAll final : public Program {
 public:
  AllToAll(const AllToAllSettings& settings, const ProgramContext& context)
      : settings_{settings}, seed_{context.seed} {}

  std::string_view kind() const override { return all_to_all_kind.name; }
  Guest guest() const override { return Guest::of_processes(settings_.process_count); }

  /// Columns, and messages under way with buffers. Only at_once lets processes get far ahead.
  std::uint64_t data_bytes() const override {
    constexpr std::uint64_t bytes_of_message = 270;  // measured, with its request
    constexpr std::uint64_t ahead = 4;  // messages of a process not yet received, about
    const std::uint64_t processes = settings_.process_count;
    const std::uint64_t others = processes - 1;
    const bool is_at_once = settings_.order == AllToAllOrder::at_once;
    const std::uint64_t messages = is_at_once ? others : std::min(ahead, others);
    return processes * (sizeof(Column) + messages * bytes_of_message);
  }

  Task<> run(Process& process) override {
    columns_.resize(settings_.process_count);
    co_await process.compute(settings_.compute);
    if (settings_.order == AllToAllOrder::at_once) {
      co_await exchange_at_once(process);
    } else {
      co_await exchange_in_rounds(process);
    }
  }

  /// Draws the matrix row by row and adds up its columns.
  std::optional<bool> verify() override {
    return !columns_.empty() && holders() == columns_.size();
  }

  Params answer() const override {
    Params answer;
    if (!columns_.empty()) {
      answer.set("holders", number(holders()));
      answer.set("values_hash", fmt::format("{:016x}", hash_of_all(columns_, &Column::sum)));
    }
    return answer;
  }

 private:
  /// Summary of a process's column. Values are hashed with their rows, to find wrong sources.
  struct Column {
    std::uint64_t sum = 0;
    std::uint32_t values = 0;

    void add(std::uint32_t row, std::uint64_t value) {
      sum += hash_of(value, row);
      ++values;
    }
    bool operator==(const Column&) const = default;
  };

  /// A value of the matrix.
  std::uint64_t value(std::uint32_t row, std::uint32_t column) const {
    return hash_of(seed_, std::uint64_t{row} * settings_.process_count + column);
  }

  Payload message(ProcessId from, ProcessId to) const {
    return Payload::of(std::vector{value(from.index(), to.index())}, settings_.message_bytes);
  }

  void take(ProcessId from, ProcessId to, Payload payload) {
    columns_[to.index()].add(from.index(), payload.take<std::uint64_t>().front());
  }

  Task<> exchange_in_rounds(Process& process) {
    const ProcessId own = process.rank();
    const std::uint32_t count = settings_.process_count;
    const bool is_shifted = settings_.order == AllToAllOrder::shifted;
    const std::uint32_t rounds = is_shifted ? count : std::bit_ceil(count);
    for (std::uint32_t round = 1; round < rounds; ++round) {
      const ProcessId to = is_shifted ? above(own, round) : ProcessId{own.index() ^ round};
      const ProcessId from = is_shifted ? above(own, count - round) : to;
      if (to.index() < count) {
        process.send(to, message(own, to));
        take(from, own, co_await process.receive(from));
      }
    }
  }

  Task<> exchange_at_once(Process& process) {
    const ProcessId own = process.rank();
    const std::uint32_t count = settings_.process_count;
    std::vector<Request> receives;
    receives.reserve(count - 1);
    for (std::uint32_t round = 1; round < count; ++round) {
      receives.push_back(process.post_receive(above(own, count - round)));
    }
    for (std::uint32_t round = 1; round < count; ++round) {
      process.send(above(own, round), message(own, above(own, round)));
    }
    for (Received& received : co_await process.wait_all(std::span<const Request>{receives})) {
      take(received.source, own, std::move(received.payload));
    }
  }

  /// The process `ranks` above, cyclically; at most once around.
  ProcessId above(ProcessId process, std::uint32_t ranks) const {
    const std::uint64_t rank = std::uint64_t{process.index()} + ranks;
    return ProcessId{static_cast<std::uint32_t>(rank % settings_.process_count)};
  }

  /// Number of processes with the right column.
  std::uint64_t holders() const {
    const std::uint32_t count = settings_.process_count;
    std::vector<Column> expected(count);
    for (std::uint32_t row = 0; row < count; ++row) {
      for (std::uint32_t column = 0; column < count; ++column) {
        if (row != column) {
          expected[column].add(row, value(row, column));
        }
      }
    }
    std::uint64_t matches = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      matches += columns_[i] == expected[i] ? 1 : 0;
    }
    return matches;
  }

  AllToAllSettings settings_;
  std::uint64_t seed_;
  std::vector<Column> columns_;  ///< [process]
};

std::unique_ptr<Program> make_all_to_all(const Params& params, const ProgramContext& context) {
  return std::make_unique<AllToAll>(
      AllToAllSettings{
          .order = read_choice<AllToAllOrder>(params, "order", {"shifted", "pairwise", "at_once"}),
          .compute = round_cost(params.duration("compute", ExactTime{}), ExactTime{}, 0),
          .message_bytes = params.size_bytes("message", 8),
          .process_count = read_process_count(params, context.machine)},
      context);
}

}  // namespace

const ProgramKind all_to_all_kind{
    "all_to_all",
    "transposition: every process sends a message of its own to every other",
    "message=64",
    {process_count_help(),
     {"message", "bytes of each message", "8"},
     {"compute", "duration of what every process computes first", "0s"},
     {"order",
      "shifted (round i: to rank+i, then from rank-i), pairwise (with rank xor i) or at_once (all "
      "messages, then all receives)",
      "shifted"}},
    make_all_to_all};

}  // namespace dcube
