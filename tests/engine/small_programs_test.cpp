// Every program of at most three processes and three messages on three nodes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/history.hpp"
#include "support/kernel_runner.hpp"
#include "support/plain/simulator.hpp"
#include "support/script.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// How a message is sent, and how it is received.
enum class Way { plain, from_anyone, posted, posted_from_anyone };
constexpr std::uint32_t way_count = 4;

struct SmallMessage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Way way{};
  std::uint32_t bytes = 0;
};

constexpr std::uint32_t kinds_of_message(std::uint32_t processes) {
  return processes * processes * way_count * 2;
}

SmallMessage small_message(std::uint32_t number, std::uint32_t processes) {
  SmallMessage message;
  message.from = number % processes;
  number /= processes;
  message.to = number % processes;
  number /= processes;
  message.way = static_cast<Way>(number % way_count);
  message.bytes = 1 + number / way_count;
  return message;
}

void add(ScriptCase& scripted, const SmallMessage& message) {
  Step send;
  send.kind = Step::Kind::send;
  send.peer = ProcessId{message.to};
  send.bytes = message.bytes;
  scripted.scripts[message.from].push_back(send);
  Step receive;
  const bool is_posted = message.way == Way::posted || message.way == Way::posted_from_anyone;
  const bool is_from_anyone =
      message.way == Way::from_anyone || message.way == Way::posted_from_anyone;
  receive.kind = is_posted ? Step::Kind::post_receive : Step::Kind::receive;
  receive.peer = is_from_anyone ? anyone : ProcessId{message.from};
  scripted.scripts[message.to].push_back(receive);
}

/// Every process waits for what it has posted: for the first, then for all.
void wait_for_posts(ScriptCase& scripted) {
  for (std::vector<Step>& script : scripted.scripts) {
    Step wait;
    for (std::size_t step = 0; step < script.size(); ++step) {
      if (script[step].kind == Step::Kind::post_receive) {
        wait.requests.push_back(step);
      }
    }
    wait.kind = Step::Kind::wait_any;
    script.push_back(wait);
    wait.kind = Step::Kind::wait_all;
    script.push_back(wait);
  }
}

/// Machines that differ in what they make messages wait for.
std::vector<Machine> small_machines() {
  Machine plain = unit_machine("kind=line,nodes=3");
  plain.links.per_dimension[0] = {ExactTime{Ticks{1}}, ExactTime{Ticks{1}}};
  Machine rendezvous = plain;
  rendezvous.endpoint.eager_limit_bytes = 1;
  rendezvous.endpoint.send = {ExactTime{Ticks{1}}, ExactTime{}};
  Machine crowded = plain;
  crowded.node.slots = 2;
  crowded.node.local = {ExactTime{Ticks{1}}, ExactTime{Ticks{2}}};
  return {plain, rendezvous, crowded};
}

TEST(SmallPrograms, AgreeWithThePlainSimulator) {
  const std::vector<Machine> machines = small_machines();
  std::uint64_t programs = 0;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    for (std::uint32_t processes = 1; processes <= 3; ++processes) {
      const std::uint64_t kinds = kinds_of_message(processes);
      for (std::uint64_t program = 0; program < kinds * kinds * kinds; ++program) {
        ScriptCase scripted;
        scripted.machine = machines[m];
        for (std::uint32_t rank = 0; rank < processes; ++rank) {
          scripted.map.emplace_back(m == 2 ? rank / 2 : rank);
        }
        scripted.scripts.resize(processes);
        for (std::uint64_t rest = program, i = 0; i < 3; ++i, rest /= kinds) {
          add(scripted, small_message(static_cast<std::uint32_t>(rest % kinds), processes));
        }
        wait_for_posts(scripted);
        HistoryRecorder recorder;
        const RunReport report =
            run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
        ASSERT_EQ(difference(recorder.finish(report), simulate_plainly(scripted)), "")
            << "machine " << m << ", " << processes << " processes, program " << program;
        ++programs;
      }
    }
  }
  fmt::print("{} programs agree\n", programs);
}

}  // namespace
}  // namespace dcube::testing
