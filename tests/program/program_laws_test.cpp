// What must hold for every program of the catalogue, wherever and however it runs: the answer is
// right, every message arrives, each process's time adds up to the makespan, and contention changes
// nothing where no message queues.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "dcube/program/program.hpp"
#include "support/draw.hpp"
#include "support/random_costs.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// What a run reports while it happens, added up.
class Accounts final : public Observer {
 public:
  explicit Accounts(std::size_t processes) : spent_(processes), until_(processes) {}

  void on_interval(const Interval& interval) override {
    const std::uint32_t process = interval.process.index();
    is_seamless_ = is_seamless_ && interval.begin == until_[process];
    spent_[process] += interval.end - interval.begin;
    until_[process] = interval.end;
  }
  void on_delivery(const Delivery& delivery) override {
    ++deliveries;
    bytes += delivery.bytes;
    hops += delivery.hops;
  }

  /// Each process computes, communicates, waits or serves from 0 to its end, one at a time.
  bool adds_up_to(const std::vector<Ticks>& ends) const {
    return is_seamless_ && std::ranges::equal(spent_, ends);
  }

  std::uint64_t deliveries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hops = 0;

 private:
  std::vector<Ticks> spent_;
  std::vector<Ticks> until_;
  bool is_seamless_ = true;
};

/// The program's example, and the same with every way of exchanging that it knows.
std::vector<std::string> settings_of(const ProgramKind& kind) {
  std::vector<std::string> all{settings_of_kind(kind.name, kind.example)};
  const bool has_modes = std::ranges::any_of(
      kind.parameters, [](const ParameterHelp& help) { return help.name == "exchange"; });
  if (has_modes) {
    all.push_back(all.front() + ",exchange=eager");
  }
  return all;
}

void check_run(const SimulatedProgram& run) {
  Accounts accounts{run.map.size()};
  const RunReport report = run.run(&accounts);
  Program* const program = run.program.get();
  ASSERT_EQ(report.outcome, Outcome::completed);
  // The one program without data has nothing to verify.
  EXPECT_EQ(program->verify(), program->kind() == "cc_dcube" ? std::nullopt : std::optional{true});
  EXPECT_EQ(accounts.deliveries, report.messages);
  EXPECT_EQ(accounts.bytes, report.bytes);
  EXPECT_EQ(accounts.hops, report.hops);
  EXPECT_TRUE(accounts.adds_up_to(report.process_ends));
  EXPECT_EQ(*std::ranges::max_element(report.process_ends), report.makespan);
  if (const auto theory = program->theory(run.map);
      theory && run.machine->links.contention == Contention::off) {
    EXPECT_EQ(report.makespan, theory->makespan) << theory->source;
  }
  if (report.queued_hops == 0) {
    EXPECT_EQ(run.run_without_contention().fingerprint, report.fingerprint);
  }
}

class ProgramLaws : public ::testing::TestWithParam<std::tuple<const ProgramKind*, const char*>> {};

TEST_P(ProgramLaws, AnswersAreRightAndAccountsAddUp) {
  const auto& [kind, topology] = GetParam();
  std::size_t runs = 0;
  for (const Contention contention : {Contention::off, Contention::on}) {
    Machine costly = uneven_machine(topology);
    Draw draw{hash_of(kind->name.size(), std::string_view{topology}.size())};
    costly.endpoint = random_endpoint(draw, Ticks{20}, 20);
    for (Machine machine : {unit_machine(topology), uneven_machine(topology), costly}) {
      machine.links.contention = contention;
      for (const std::string& settings : settings_of(*kind)) {
        const SimulatedProgram any{machine, "random", settings};
        for (const std::string& embedding : embeddings_to_try(any)) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", settings, topology, embedding,
                                   contention == Contention::on ? "contention" : "none"));
          check_run({machine, embedding, settings, {.seed = 5}});
          ++runs;
        }
      }
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  EXPECT_GE(runs, 18U);
}

std::vector<const ProgramKind*> all_programs() {
  std::vector<const ProgramKind*> kinds;
  // Those that are nothing without a file have tests of their own.
  std::ranges::copy_if(program_catalog(), std::back_inserter(kinds),
                       [](const ProgramKind* kind) { return !kind->example.empty(); });
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(
    Catalog, ProgramLaws,
    ::testing::Combine(::testing::ValuesIn(all_programs()),
                       ::testing::Values("kind=line,nodes=16", "kind=ring,nodes=16",
                                         "kind=mesh,shape=4x4", "kind=mesh,shape=16x4",
                                         "kind=torus,shape=4x4", "kind=torus,shape=4x4x4",
                                         "kind=hypercube,dimensions=4")),
    [](const auto& test) {
      std::string topology = std::get<1>(test.param);
      std::ranges::replace_if(
          topology, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return std::get<0>(test.param)->name + "_on_" + topology.substr(5);
    });

}  // namespace
}  // namespace dcube::testing
