// What must hold for every program of the catalogue, wherever and however it runs: the answer is
// right, every message arrives, and each process's time adds up to the makespan.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "dcube/program/program.hpp"
#include "support/kernel_runner.hpp"

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

const ExactTime one_second{std::chrono::seconds{1}};
const ExactTime millisecond{std::chrono::milliseconds{1}};

Machine make_machine(const std::string& topology, Contention contention, bool has_all_costs) {
  Machine machine;
  machine.name = "law";
  machine.topology = make_topology(Params::parse(topology));
  machine.links.contention = contention;
  const TransferCost hop{one_second, has_all_costs ? millisecond : ExactTime{}};
  machine.links.per_dimension.assign(machine.topology->dimension_count(), hop);
  if (has_all_costs) {
    machine.endpoint = {hop, hop};
    machine.compute = {
        {"add", millisecond}, {"compare", millisecond}, {"multiply", 2 * millisecond}};
  }
  return machine;
}

/// The program's example, and the same with every way of exchanging that it knows.
std::vector<Params> settings_of(const ProgramKind& kind) {
  std::vector<Params> all{Params::parse(fmt::format("kind={},{}", kind.name, kind.example))};
  const bool has_modes = std::ranges::any_of(
      kind.parameters, [](const ParameterHelp& help) { return help.name == "exchange"; });
  if (has_modes) {
    all.push_back(all.front());
    all.back().set("exchange", "eager");
  }
  return all;
}

std::vector<Params> embeddings_of(const Topology& topology, const Guest& guest) {
  std::vector<Params> all;
  for (const std::string& name : fitting_embeddings(topology, guest)) {
    all.push_back(Params::parse("kind=" + name));
  }
  all.push_back(Params::parse("kind=random,seed=3"));
  return all;
}

void check_run(const Machine& machine, const Params& settings, const Params& embedding) {
  const auto program = make_program(settings, ProgramContext{machine, 5});
  const std::vector<NodeId> map =
      make_embedding(*machine.topology, program->guest(), embedding)->map();
  Accounts accounts{map.size()};
  const RunReport report =
      run_without_simgrid({.machine = machine,
                           .map = map,
                           .body = [&](Process& process) { return program->run(process); },
                           .stage_count = program->stage_count(),
                           .execution = Execution::automatic,
                           .observer = &accounts,
                           .progress = {}});
  ASSERT_EQ(report.outcome, Outcome::completed);
  // The one program without data has nothing to verify.
  EXPECT_EQ(program->verify(), program->kind() == "cc_dcube" ? std::nullopt : std::optional{true});
  EXPECT_EQ(accounts.deliveries, report.messages);
  EXPECT_EQ(accounts.bytes, report.bytes);
  EXPECT_EQ(accounts.hops, report.hops);
  EXPECT_TRUE(accounts.adds_up_to(report.process_ends));
  EXPECT_EQ(*std::ranges::max_element(report.process_ends), report.makespan);
  if (const auto theory = program->theory(map);
      theory && machine.links.contention == Contention::off) {
    EXPECT_EQ(report.makespan, theory->makespan) << theory->source;
  }
}

class ProgramLaws : public ::testing::TestWithParam<std::tuple<const ProgramKind*, const char*>> {};

TEST_P(ProgramLaws, AnswersAreRightAndAccountsAddUp) {
  const auto& [kind, topology] = GetParam();
  std::size_t runs = 0;
  for (const Contention contention : {Contention::off, Contention::on}) {
    for (const bool has_all_costs : {false, true}) {
      const Machine machine = make_machine(topology, contention, has_all_costs);
      for (const Params& settings : settings_of(*kind)) {
        const Guest guest = make_program(settings, ProgramContext{machine, 5})->guest();
        for (const Params& embedding : embeddings_of(*machine.topology, guest)) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", kind->name, topology, embedding.text("kind"),
                                   contention == Contention::on ? "contention" : "none"));
          check_run(machine, settings, embedding);
          ++runs;
        }
      }
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  EXPECT_GE(runs, 8U);
}

std::vector<const ProgramKind*> all_programs() {
  return {program_catalog().begin(), program_catalog().end()};
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
