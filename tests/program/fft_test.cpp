#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "dcube/metrics/embedding_metrics.hpp"
#include "fft_runs.hpp"
#include "program/fft_points.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

const std::array machines_for_fft{"kind=line,nodes=16",     "kind=ring,nodes=32",
                                  "kind=mesh,shape=8x4",    "kind=torus,shape=4x4",
                                  "kind=torus,shape=2x4x2", "kind=hypercube,dimensions=5",
                                  "kind=ring,nodes=2",      "kind=hypercube,dimensions=0"};

const std::array<std::string, 5> programs{"", "decimation=time", "points_per_process=1",
                                          "points_per_process=1,decimation=time",
                                          "points_per_process=2,exchange=eager"};

/// The recurrence of [X IV.A]: what is computed since the last exchange is the compute time of the
/// next one. The exchanges come first (decimation in frequency) or last.
Ticks recurrence(const FftRun& run, const std::string& program) {
  const bool are_first = program.find("time") == std::string::npos;
  const auto dimensions = static_cast<std::uint32_t>(std::countr_zero(run.map.size()));
  const std::uint32_t local_stages = run.program->stage_count() - dimensions;
  const std::int64_t block = std::int64_t{1} << local_stages;
  const Ticks each{(1001 * block + 1) / 2};
  const Ticks local = local_stages * each;
  const auto bytes = static_cast<std::uint64_t>(16 * block);
  CcCosts costs{.order = {},
                .compute =
                    [=](ProcessId, std::uint32_t exchange) {
                      return exchange > 0 ? each : are_first ? Ticks{0} : local;
                    },
                .transfer = TransferTime{*run.machine, bytes},
                .send = run.machine->endpoint.send.of(bytes),
                .receive = run.machine->endpoint.receive.of(bytes)};
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    costs.order.push_back(are_first ? dimensions - 1 - i : i);
  }
  return dimensions == 0
             ? local
             : predict_cc(run.map, costs).makespan + each + (are_first ? local : Ticks{0});
}

class FftOnEveryMachine : public ::testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> embeddings() {
    return embeddings_to_try(FftRun{GetParam(), "standard", ""});
  }
};

TEST_P(FftOnEveryMachine, TheSpectrumIsRightUnderEveryEmbedding) {
  const std::vector<std::string> names = embeddings();
  ASSERT_GE(names.size(), 6U);
  for (const std::string& embedding : names) {
    for (const std::string& program : programs) {
      for (const Contention contention : {Contention::on, Contention::off}) {
        const FftRun run{GetParam(), embedding, program};
        run.machine->links.contention = contention;
        run.run();
        EXPECT_EQ(run.program->verify(), true) << embedding << " " << program;
      }
    }
  }
}

TEST_P(FftOnEveryMachine, WithoutContentionEveryEmbeddingMeetsTheRecurrence) {
  for (const std::string& embedding : embeddings()) {
    for (const std::string& program : programs) {
      const FftRun run{GetParam(), embedding, program};
      run.machine->links.contention = Contention::off;
      run.machine->endpoint.send = {ExactTime{Ticks{77}}, ExactTime{Ticks{2}}};
      run.machine->endpoint.receive = {ExactTime{Ticks{5}}, ExactTime{}};
      if (program.find("eager") == std::string::npos) {
        EXPECT_EQ(run.run().makespan, recurrence(run, program)) << embedding << " " << program;
      }
    }
  }
}

TEST_P(FftOnEveryMachine, WithContentionConstantDistancesMeetTheRecurrence) {
  for (const std::string decimation : {"frequency", "time"}) {
    const FftRun run{GetParam(), "standard", "decimation=" + decimation};
    const RunReport report = run.run();
    EXPECT_EQ(report.makespan, recurrence(run, decimation)) << decimation;
    EXPECT_EQ(report.queued_hops, 0U) << decimation;
    EXPECT_EQ(report.waiting_intervals, 0U) << decimation;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, FftOnEveryMachine, ::testing::ValuesIn(machines_for_fft));

struct Constant {
  const char* topology;
  const char* embedding;
  std::uint32_t dimensions;
  std::uint32_t hops;  ///< sum of the distances of all cube dimensions
};

class FftClosedForm : public ::testing::TestWithParam<Constant> {};

// T = log2 N t B/2 + the costs of the exchanges, t being the time of a butterfly.
TEST_P(FftClosedForm, IsWhatASimulationTakes) {
  const Constant& given = GetParam();
  for (const std::uint32_t block_log2 : {0U, 1U, 5U}) {
    for (const std::string decimation : {"frequency", "time"}) {
      const std::uint32_t block = 1U << block_log2;
      const FftRun run{given.topology, given.embedding,
                       "points_per_process=" + std::to_string(block) + ",decimation=" + decimation};
      // 1001 ps B/2, rounded half up once per stage; 900 ps + 3 ps a byte for 16 B bytes.
      const std::int64_t computing = (1001 * block + 1) / 2;
      const std::int64_t hop = 900 + 3 * 16 * block;
      const std::int64_t stages = given.dimensions + block_log2;
      const RunReport report = run.run();
      EXPECT_EQ(report.makespan.count(), stages * computing + given.hops * hop) << block;
      EXPECT_EQ(run.program->stage_count(), stages);
      EXPECT_EQ(report.messages, std::uint64_t{given.dimensions} << given.dimensions);
      EXPECT_EQ(report.bytes, report.messages * 16 * block);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, FftClosedForm,
                         ::testing::Values(Constant{"kind=hypercube,dimensions=4", "identity", 4,
                                                    4},
                                           // 1 + 2 + 4 + 8 = 2^4 - 1
                                           Constant{"kind=ring,nodes=16", "standard", 4, 15},
                                           Constant{"kind=ring,nodes=16", "xor", 4, 11},
                                           Constant{"kind=line,nodes=8", "standard", 3, 7},
                                           Constant{"kind=torus,shape=4x4", "standard", 4, 6},
                                           Constant{"kind=ring,nodes=1", "standard", 0, 0}));

TEST(Fft, GivesTheTransformOfItsDefinition) {
  for (const std::string processes : {"1", "2", "8"}) {
    for (const std::string decimation : {"frequency", "time"}) {
      const FftRun run{
          "kind=ring,nodes=8",
          "standard",
          "points=32,output=s.csv,decimation=" + decimation + ",processes=" + processes,
          {.seed = 9}};
      run.run();
      const std::vector<Complex> spectrum = run.spectrum();
      const FftPoints points = FftPoints::random(9, 32);
      ASSERT_EQ(spectrum.size(), 32U);
      for (std::uint64_t k = 0; k < 32; ++k) {
        Complex expected;
        for (std::uint64_t n = 0; n < 32; ++n) {
          expected += points.at(n) *
                      std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * n % 32) / 32);
        }
        EXPECT_LE(std::abs(spectrum[k] - expected), 1e-13) << k << " " << decimation;
      }
    }
  }
}

TEST(Fft, SequentialTimeIsThatOfOneProcess) {
  const FftRun many{"kind=ring,nodes=8", "standard", "points=256"};
  const FftRun one{"kind=ring,nodes=8", "standard", "points=256,processes=1"};
  EXPECT_EQ(many.program->sequential_time(), one.run().makespan);
  EXPECT_EQ(one.run().makespan, Ticks{8 * 128 * 1001});
}

TEST(Fft, AButterflyOfAnOddNumberOfPicosecondsIsHalvedExactly) {
  const auto with_odd_butterfly = [](Machine& machine) {
    machine.compute["butterfly"] = ExactTime{Ticks{1005}};
  };
  const FftRun run{
      "kind=ring,nodes=8", "standard", "points=256,processes=1", {.change = with_odd_butterfly}};
  EXPECT_EQ(run.run().makespan, Ticks{8 * 128 * 1005});
}

TEST(Fft, AButterflyWhoseHalfIsNoFractionOf63BitsIsRefused) {
  Machine machine = fft_machine("kind=ring,nodes=1");
  machine.compute["butterfly"] = ExactTime{1, std::int64_t{1} << 61};
  const auto on_machine = [&] {
    return SimulatedProgram{machine, "standard", "kind=fft,points=8"};
  };
  EXPECT_EQ(complaint(on_machine), "");
  machine.compute["butterfly"] = ExactTime{1, std::int64_t{1} << 62};
  EXPECT_EQ(complaint(on_machine),
            "the time of a `butterfly` has too many decimal places to be halved");
}

TEST(Fft, ComputesFreelyOnAMachineWithoutOperations) {
  const FftRun run{"kind=hypercube,dimensions=3",
                   "identity",
                   "points=64",
                   {.change = [](Machine& machine) { machine.compute.clear(); }}};
  EXPECT_EQ(run.run().makespan, Ticks{3 * (900 + 3 * 16 * 8)});
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_FALSE(run.program->sequential_time().has_value());
}

TEST(Fft, AButterflyIsFourMultiplicationsAndSixAdditions) {
  Machine machine = fft_machine("kind=ring,nodes=1");
  machine.compute = {{"multiply", ExactTime{Ticks{10}}}, {"add", ExactTime{Ticks{1}}}};
  const auto on_machine = [&] {
    return SimulatedProgram{machine, "standard", "kind=fft,points=8"};
  };
  EXPECT_EQ(on_machine().run().makespan, Ticks{3 * 4 * 46});
  machine.compute.erase("add");
  EXPECT_EQ(complaint(on_machine),
            "machine unit does not say how long `butterfly` takes; add `butterfly`, "
            "or `multiply` and `add`, to its `compute` table");
}

TEST(Fft, StagesOfExchangesNameTheirMessages) {
  const FftRun run{"kind=ring,nodes=4", "standard", "points_per_process=2"};
  ASSERT_EQ(run.program->stage_count(), 3U);
  const auto partners_of_0 = [](const FftRun& of) {
    std::vector<std::uint32_t> partners;
    for (const auto& messages : messages_by_stage(of.input())) {
      const auto found =
          std::ranges::find(messages, ProcessId{0}, &std::pair<ProcessId, ProcessId>::first);
      EXPECT_EQ(messages.size(), found == messages.end() ? 0U : 4U);
      partners.push_back(found == messages.end() ? 0 : found->second.index());
    }
    return partners;
  };
  EXPECT_EQ(partners_of_0(run), (std::vector<std::uint32_t>{2, 1, 0}));
  const FftRun time{"kind=ring,nodes=4", "standard", "points_per_process=2,decimation=time"};
  EXPECT_EQ(partners_of_0(time), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Fft, WithoutARunThereIsNothingToCheckOrWrite) {
  const FftRun run{"kind=ring,nodes=4", "standard", "output=s.csv"};
  EXPECT_EQ(run.program->verify(), false);
  EXPECT_TRUE(run.program->output_files().empty());
  EXPECT_EQ(run.program->answer().keys(), (std::vector<std::string>{"points"}));
}

TEST(Fft, TheAnswerNamesErrorAndPeak) {
  const FftRun run{"kind=ring,nodes=4", "standard", ""};
  run.run();
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_EQ(run.answer("points"), "256");
  EXPECT_LE(std::stod(run.answer("max_error")), std::stod(run.answer("error_bound")));
  EXPECT_LT(std::stod(run.answer("error_bound")), 1e-10);
  EXPECT_LT(std::stoul(run.answer("peak_bin")), 256U);
  EXPECT_TRUE(run.program->output_files().empty());
}

TEST(Fft, MemoryGrowsWithPointsAndOutput) {
  EXPECT_EQ((FftRun{"kind=ring,nodes=4", "standard", "points=1024"}.program->data_bytes()),
            1024U * 80);
  EXPECT_EQ((FftRun{"kind=ring,nodes=4", "standard", "points=1024,output=x"}.program->data_bytes()),
            1024U * 144);
}

}  // namespace
}  // namespace dcube::testing
