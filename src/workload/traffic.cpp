#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/memory.hpp"
#include "program/catalog.hpp"
#include "trace_settings.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

/// Throws MemoryError without a place for more than fits in memory.
template <class MessagesOf>
void expect_schedule_fits(const Traffic& traffic, std::uint32_t rounds, MessagesOf messages_of) {
  UInt128 messages = 0;
  for (const Flow& flow : traffic.flows()) {
    messages += messages_of(flow);
  }
  // A message is two operations, a process computes and waits, per round. The messages of a round
  // are under way at once: measured as 220 bytes each between one pair, 300 between all pairs.
  constexpr std::uint64_t under_way_bytes = 270;
  const UInt128 operations = 2 * (messages + traffic.process_count()) * rounds;
  const UInt128 bytes = operations * sizeof(Operation) + messages * under_way_bytes;
  const auto shown = [](UInt128 number) {
    constexpr UInt128 most = std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::min(number, most));
  };
  expect_fits_in_memory(
      fmt::format("a program of {} and {} in {}", counted(traffic.process_count(), "process"),
                  counted(shown(messages), "message"), counted(rounds, "round")),
      shown(bytes), "name fewer, or send \"one\" message for each pair");
}

/// In each round every process posts its receives, sends to each partner and waits for all.
Schedule schedule_of(const Traffic& traffic, std::uint32_t rounds, Ticks compute,
                     bool sends_messages_of_file) {
  const auto messages_of = [&](const Flow& flow) {
    return sends_messages_of_file ? flow.messages : std::min<std::uint64_t>(flow.messages, 1);
  };
  expect_schedule_fits(traffic, rounds, messages_of);
  Schedule schedule;
  schedule.processes.resize(traffic.process_count());
  std::vector<std::vector<Operation>> round(traffic.process_count());
  const auto post = [&](ProcessId process, Operation operation) {
    std::vector<Operation>& operations = round[process.index()];
    operation.request = static_cast<std::uint32_t>(operations.size());
    operations.push_back(operation);
  };
  for (const Flow& flow : traffic.flows()) {
    for (std::uint64_t i = 0; i < messages_of(flow); ++i) {
      post(flow.to, {.kind = Kind::post_receive, .peer = flow.from});
    }
  }
  for (const Flow& flow : traffic.flows()) {
    const std::uint64_t messages = messages_of(flow);
    for (std::uint64_t i = 0; i < messages; ++i) {
      // The first messages are a byte longer if the bytes cannot be shared equally.
      const std::uint64_t bytes = flow.bytes / messages + (i < flow.bytes % messages ? 1 : 0);
      post(flow.from, {.kind = Kind::post_send, .peer = flow.to, .amount = bytes});
    }
  }
  for (std::size_t process = 0; process < round.size(); ++process) {
    std::vector<Operation>& operations = schedule.processes[process];
    for (std::uint32_t i = 0; i < rounds; ++i) {
      if (compute > Ticks{0}) {
        operations.push_back(
            {.kind = Kind::compute, .amount = static_cast<std::uint64_t>(compute.count())});
      }
      operations.insert(operations.end(), round[process].begin(), round[process].end());
      operations.push_back({.kind = Kind::wait_all});
    }
  }
  return schedule;
}

constexpr WholeNumber rounds_setting{"rounds",
                                     "how often everything is sent (1 to 1000000)",
                                     "a number of rounds (1 to 1000000)",
                                     {1, 1'000'000, 1}};

std::unique_ptr<Program> make_traffic(const Params& settings, const ProgramContext& context) {
  const Traffic traffic = read_input_traffic(settings, "file", context);
  const std::uint32_t rounds = rounds_setting.read(settings);
  const Ticks compute = round_cost(settings.duration("compute", ExactTime{}), ExactTime{}, 0);
  const bool sends_messages_of_file =
      settings.choice("messages", std::vector<std::string>{"file", "one"}, "file") == "file";
  Schedule schedule = at_place(settings.place_of("file"), [&] {
    return schedule_of(traffic, rounds, compute, sends_messages_of_file);
  });
  return make_scheduled_program(traffic_kind.name, std::move(schedule), settings, context);
}

}  // namespace

const ProgramKind traffic_kind{
    "traffic",
    "a traffic matrix as a program: in each round every process sends what the file says, at once",
    "",
    {file_help("the traffic, in any format of `dcube list formats`"),
     rounds_setting,
     {"compute", "duration of what every process computes before each round", "0s"},
     {"messages", "file (as many as the file says) or one (a message for each pair)", "file"},
     guest_help()},
    make_traffic};

}  // namespace dcube
