#include "dcube/workload/chakra_writer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/program/program.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"
#include "support/warnings_of.hpp"

namespace dcube::testing {
namespace {

/// Makespans of a program that is a pattern, and of its traces.
struct WrittenRun {
  explicit WrittenRun(const std::string& text) {
    const Surroundings surroundings{.folder = folder.path()};
    Machine machine = unit_machine("kind=torus,shape=2x2x2");
    machine.links.per_dimension.assign(3, {ExactTime{Ticks{1'000'000}}, ExactTime{1000, 1}});
    const auto makespan = [&](const Params& settings) {
      const auto program = make_program(settings, {machine, 1, folder.path()});
      traces = program->pattern() ? chakra_traces(*program->pattern(), {machine, 1, folder.path()})
                                  : traces;
      std::vector<NodeId> map;
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        map.emplace_back(rank);
      }
      const RunReport report =
          run_without_simgrid({.machine = machine,
                               .map = map,
                               .body = [&](Process& process) { return program->run(process); },
                               .stage_count = program->stage_count()});
      EXPECT_EQ(report.outcome, Outcome::completed);
      return report.makespan;
    };
    pattern = makespan(*read_json(text, "p.json").group());
    for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank) {
      folder.write(fmt::format("trace.{}.et", rank), traces.ranks[rank]);
    }
    chakra = makespan(traces.program);
  }

  TemporaryFolder folder;
  ChakraTraces traces;
  Ticks pattern{0};
  Ticks chakra{0};
};

TEST(Chakra, TracesOfAPatternTakeItsTime) {
  for (const char* const phases :
       {R"({"compute": "5us"}, {"exchange": 100, "meanwhile": [{"compute": "3us"}]},
           {"compute": "2us"})",
        R"({"repeat": 3, "phases": [{"compute": "1us * rank + 1us * iteration"},
             {"collective": "allreduce", "over": "x", "bytes": 64},
             {"collective": "allgather", "over": ["z", "y"], "bytes": 64, "algorithm": "ring"}]
})",
        R"({"collective": "broadcast", "over": [[5, 0, 2], [7, 1]], "root": 1, "bytes": 32},
           {"collective": "all_to_all", "bytes": 64}, {"collective": "barrier"})",
        R"({"messages": [{"from": 0, "to": 7, "bytes": 10}, {"from": 7, "to": 3, "bytes": 20}]},
           {"collective": "reduce_scatter", "over": "y", "bytes": 128})",
        R"({"collective": "allreduce", "over": "x", "bytes": 64, "start": "g"}, {"compute": "9us"},
           {"wait": "g"}, {"compute": "1us"})",
        R"({"collective": "allreduce", "over": "x", "bytes": 640000, "start": "g"},
           {"collective": "allreduce", "over": "y", "bytes": 64}, {"wait": "g"})",
        R"({"collective": "allreduce", "over": ["x", "y"], "bytes": 64, "algorithm": "ring",
            "ports": 2}, {"collective": "broadcast", "bytes": 64}, {"collective": "barrier"})",
        R"({"collective": "allreduce", "bytes": 4096, "algorithm": "ring"},
           {"collective": "allreduce", "bytes": 8, "algorithm": "recursive_doubling"},
           {"collective": "allreduce", "bytes": 64})",
        R"({"collective": "allreduce", "over": ["x", "y", "z"], "bytes": 4096,
            "algorithm": "disjoint_rings", "ports": 2},
           {"collective": "allreduce", "bytes": 4096, "algorithm": "ring", "ports": 2},
           {"collective": "all_to_all", "over": ["z", "x"], "bytes": 64, "algorithm": "spread"})"}) {
    const WrittenRun run{fmt::format(R"({{"kind": "pattern", "guest": {{"axes": {{"x": 2, "y": 2,
                                          "z": 2}}}}, "phases": [{}]}})",
                                     phases)};
    EXPECT_EQ(run.chakra, run.pattern) << phases;
  }
}

TEST(Chakra, TracesOfATransformerTakeItsTime) {
  for (const char* const more :
       {R"("axes": {"tensor": 2, "data": 4}, "micro_batches": 3)",
        R"("axes": {"tensor": 2, "pipeline": 2, "data": 2}, "micro_batches": 3, "zero": 1)",
        R"("axes": {"data": 2, "tensor": 2, "pipeline": 2}, "micro_batches": 4,
           "schedule": "interleaved", "sequence_parallel": true)"}) {
    // Attention takes 5 us and the MLP 8 us.
    const WrittenRun run{fmt::format(
        R"({{"kind": "transformer", "layers": 4, "hidden": 64, "heads": 2, "sequence": 32,
             "micro_batch": 2, "flops": 262144000000, "algorithms": "ring", {}}})",
        more)};
    EXPECT_EQ(run.chakra, run.pattern) << more;
  }
}

TEST(Chakra, SaysWhereTimesAreRounded) {
  const Machine machine = unit_machine("kind=ring,nodes=4");
  const auto warnings = [&](const std::string& phases) {
    const Setting settings = read_json(
        fmt::format(R"({{"kind": "pattern", "guest": "ring:4", "phases": [{}]}})", phases),
        "p.json");
    return warnings_of([&] { chakra_traces(*settings.group(), {machine, 1, {}}); });
  };
  EXPECT_EQ(warnings(R"({"compute": "2us"})"), "");
  EXPECT_EQ(warnings(R"({"compute": "200.4us"})"), "");
  EXPECT_EQ(warnings(R"({"compute": "2us"}, {"compute": "1.4us"})"),
            "chakra: whole microseconds, which is what traces have, change 4 of 8 computations by "
            "more than 1 %; write longer times, and a smaller `scale` for them\n");
}

TEST(Chakra, SaysWhatTracesCannotHold) {
  const Machine machine = unit_machine("kind=ring,nodes=4");
  const auto problem = [&](const std::string& phases) {
    return complaint<InputError>([&] {
      const Setting settings = read_json(
          fmt::format(R"({{"kind": "pattern", "guest": "ring:4", "phases": [{}]}})", phases),
          "p.json");
      chakra_traces(*settings.group(), {machine, 1, {}});
    });
  };
  EXPECT_EQ(problem(R"({"collective": "scan", "bytes": 8})"),
            "p.json: has a collective scan, which Chakra traces cannot hold");
  EXPECT_EQ(problem(R"({"repeat": 1000000000, "phases": [{"compute": "1us"}]})"),
            "p.json: makes more than 2^24 nodes of Chakra traces; write a shorter step");
}

}  // namespace
}  // namespace dcube::testing
