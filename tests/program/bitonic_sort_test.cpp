#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "dcube/metrics/embedding_metrics.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

constexpr auto second = std::chrono::seconds{1};

void make_comparing_cost_1_s(Machine& machine) { machine.compute["compare"] = ExactTime{second}; }

/// The recurrence of [X IV.A]: the local sort comes before the first exchange, and a merge before
/// every other and after the last.
Ticks recurrence(const SimulatedProgram& run, std::uint64_t keys) {
  const ExactTime compare = run.machine->compute.at("compare");
  const auto comparing = [&](std::uint64_t times) { return round_cost({}, compare, times); };
  const Ticks sort = comparing(keys * static_cast<std::uint64_t>(std::bit_width(keys - 1)));
  CcCosts costs{
      .order = {},
      .compute = [sort, merge = comparing(keys)](
                     ProcessId, std::uint32_t stage) { return stage == 0 ? sort : merge; },
      .transfer = TransferTime{*run.machine, 8 * keys},
      .send = run.machine->endpoint.send.of(8 * keys),
      .receive = run.machine->endpoint.receive.of(8 * keys)};
  for (std::uint32_t block = 1; 1U << block <= run.map.size(); ++block) {
    for (std::uint32_t dimension = block; dimension-- > 0;) {
      costs.order.push_back(dimension);
    }
  }
  return predict_cc(run.map, costs).makespan + comparing(keys);
}

double hops(const std::string& topology, const std::string& embedding,
            const std::string& settings = "") {
  const SimulatedProgram run{topology, embedding, "kind=bitonic_sort" + settings};
  const RunReport report = run.run();
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_EQ(report.queued_hops, 0U);
  EXPECT_EQ(report.waiting_intervals, 0U);
  return to_seconds(report.makespan);
}

const std::array machines{"kind=line,nodes=8",    "kind=ring,nodes=2",
                          "kind=ring,nodes=16",   "kind=mesh,shape=4x4",
                          "kind=torus,shape=8x4", "kind=torus,shape=2x4x2",
                          "kind=torus,shape=5x3", "kind=hypercube,dimensions=4"};

class BitonicSortOn : public ::testing::TestWithParam<const char*> {};

TEST_P(BitonicSortOn, SortsUnderEveryEmbeddingAndMeetsTheRecurrence) {
  const std::uint32_t nodes = make_topology(Params::parse(GetParam()))->node_count();
  const std::string processes = nodes == 15 ? ",processes=8" : "";
  std::vector<std::pair<std::string, std::uint64_t>> programs{
      {"", 16}, {",keys_per_process=1", 1}, {",keys_per_process=5", 5}};
  if (nodes != 15) {
    programs.emplace_back(",order=interleaved", 0);
  }
  for (const auto& [program, keys] : programs) {
    const std::string settings = "kind=bitonic_sort" + processes + program;
    const SimulatedProgram any{GetParam(), "standard", settings};
    for (const std::string& embedding : embeddings_to_try(any)) {
      const SimulatedProgram run{uneven_machine(GetParam()), embedding, settings};
      EXPECT_EQ(run.run().outcome, Outcome::completed);
      EXPECT_EQ(run.program->verify(), true) << embedding << settings;
      const Ticks free = run.run_without_contention().makespan;
      EXPECT_EQ(run.program->verify(), true) << embedding << settings;
      if (keys > 0) {
        EXPECT_EQ(free, recurrence(run, keys)) << embedding << settings;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, BitonicSortOn, ::testing::ValuesIn(machines));

TEST(BitonicSort, IsNotVerifiedBeforeItHasRun) {
  EXPECT_EQ(SimulatedProgram("kind=ring,nodes=8", "xor", "kind=bitonic_sort").program->verify(),
            false);
}

// PAPERS: dimension j is used d-j times, so the hops are the sum of (d-j) D_j.
TEST(BitonicSort, HopsOnRingsAreTheClosedForms) {
  for (unsigned d = 2; d <= 7; ++d) {
    const std::string ring = "kind=ring,nodes=" + std::to_string(1U << d);
    EXPECT_DOUBLE_EQ(hops(ring, "standard"), (2U << d) - d - 2) << ring;
    EXPECT_DOUBLE_EQ(hops(ring, "xor"), (7U << (d - 2)) - d - 2) << ring;
  }
  EXPECT_DOUBLE_EQ(hops("kind=ring,nodes=8", "standard"), 11);
  EXPECT_DOUBLE_EQ(hops("kind=ring,nodes=8", "xor"), 9);
  EXPECT_DOUBLE_EQ(hops("kind=ring,nodes=16", "standard"), 26);
  EXPECT_DOUBLE_EQ(hops("kind=ring,nodes=16", "xor"), 22);
}

TEST(BitonicSort, TakesOneHopAStageOnAHypercube) {
  for (unsigned d = 1; d <= 6; ++d) {
    const std::string cube = "kind=hypercube,dimensions=" + std::to_string(d);
    EXPECT_DOUBLE_EQ(hops(cube, "identity"), d * (d + 1) / 2);
    EXPECT_DOUBLE_EQ(hops(cube, "identity", ",order=interleaved"), d * (d + 1) / 2);
  }
}

TEST(BitonicSort, InterleavedDimensionsSaveHopsOnATorus) {
  const std::string torus = "kind=torus,shape=8x8";
  EXPECT_DOUBLE_EQ(hops(torus, "xor"), 33);
  EXPECT_DOUBLE_EQ(hops(torus, "xor", ",order=as_defined"), 33);
  EXPECT_DOUBLE_EQ(hops(torus, "xor", ",order=interleaved"), 31);
  EXPECT_DOUBLE_EQ(hops(torus, "xor", ",order=[0,3,1,4,2,5]"), 31);
  EXPECT_DOUBLE_EQ(hops(torus, "xor", ",order=[5,4,2,1,3,0]"), 39);
  EXPECT_DOUBLE_EQ(hops("kind=torus,shape=2x8", "standard", ",order=interleaved"),
                   hops("kind=torus,shape=2x8", "standard", ",order=[0,1,2,3]"));
}

TEST(BitonicSort, InterleavedDimensionsAreThoseOfFoldedSides) {
  EXPECT_DOUBLE_EQ(hops("kind=torus,shape=2*2*2x2*4", "standard", ",order=interleaved"),
                   hops("kind=torus,shape=2*2*2x2*4", "standard", ",order=[0,3,1,4,2,5]"));
  EXPECT_DOUBLE_EQ(hops("kind=torus,shape=2*2x2*2", "standard", ",order=interleaved"),
                   hops("kind=torus,shape=4x4", "standard", ",order=interleaved"));
}

TEST(BitonicSort, ChargesTheLocalSortAndAComparisonPerKeptKey) {
  const SimulatedProgram run{"kind=hypercube,dimensions=3",
                             "identity",
                             "kind=bitonic_sort,keys_per_process=4",
                             {.change = make_comparing_cost_1_s}};
  EXPECT_EQ(run.run().makespan, (4 * 2 + 6 * (1 + 4)) * second);
  EXPECT_EQ(run.program->sequential_time(), 32 * 5 * second);
}

TEST(BitonicSort, RoundsTheLevelsOfTheLocalSortUp) {
  for (const auto& [keys, comparisons] : {std::pair{1, 0}, {2, 2}, {3, 6}, {5, 15}, {8, 24}}) {
    const SimulatedProgram run{
        "kind=ring,nodes=8",
        "standard",
        "kind=bitonic_sort,processes=1,keys_per_process=" + std::to_string(keys),
        {.change = make_comparing_cost_1_s}};
    EXPECT_EQ(run.run().makespan, comparisons * second) << keys;
    EXPECT_EQ(run.program->verify(), true);
  }
}

TEST(BitonicSort, AComparisonIsASubtractionWhereTheMachineSaysNoMore) {
  const SimulatedProgram run{
      "kind=hypercube,dimensions=1",
      "identity",
      "kind=bitonic_sort,keys_per_process=1",
      {.change = [](Machine& machine) { machine.compute["add"] = ExactTime{3 * second}; }}};
  EXPECT_EQ(run.run().makespan, (1 + 3) * second);
}

TEST(BitonicSort, HasNoSpeedupWhereComputingIsFree) {
  const SimulatedProgram run{"kind=ring,nodes=8", "xor", "kind=bitonic_sort"};
  EXPECT_EQ(run.program->sequential_time(), std::nullopt);
}

TEST(BitonicSort, SendsEightBytesAKey) {
  const SimulatedProgram run{"kind=ring,nodes=4", "xor", "kind=bitonic_sort,keys_per_process=3"};
  const RunReport report = run.run();
  EXPECT_EQ(report.messages, 4U * 3);
  EXPECT_EQ(report.bytes, 4U * 3 * 3 * 8);
}

TEST(BitonicSort, StagesGoDownTheDimensionsOfEverLargerBlocks) {
  const auto partners = [](const std::string& order) {
    const SimulatedProgram run{"kind=ring,nodes=8", "standard", "kind=bitonic_sort" + order};
    std::vector<std::uint32_t> of_process_0;
    for (const auto& messages : messages_by_stage(run.input())) {
      EXPECT_EQ(messages.size(), 8U);
      of_process_0.push_back(
          std::ranges::find(messages, ProcessId{0}, &std::pair<ProcessId, ProcessId>::first)
              ->second.index());
    }
    return of_process_0;
  };
  EXPECT_EQ(partners(""), (std::vector<std::uint32_t>{1, 2, 1, 4, 2, 1}));
  EXPECT_EQ(partners(",order=[2,0,1]"), (std::vector<std::uint32_t>{4, 1, 4, 2, 1, 4}));
}

TEST(BitonicSort, KeysDependOnTheSeedAndNotOnTheProcesses) {
  const auto answer = [](const std::string& settings, std::uint64_t seed) {
    const SimulatedProgram run{
        "kind=ring,nodes=8", "standard", "kind=bitonic_sort," + settings, {.seed = seed}};
    run.run();
    return run.answer();
  };
  EXPECT_EQ(answer("keys_per_process=4", 3), answer("keys_per_process=16,processes=2", 3));
  EXPECT_NE(answer("keys_per_process=4", 3), answer("keys_per_process=4", 4));
}

TEST(BitonicSort, SortsTheNumbersOfAFileInEveryOrderOfDimensions) {
  const TemporaryFolder folder;
  folder.write("keys.csv", "key\n4\n-1.5\n7\n4\n0\n1e3\n-20\n0.25\n");
  for (const std::string processes : {"processes=4", "processes=4,order=[1,0]", "processes=8",
                                      "processes=8,order=[1,2,0]", "processes=1"}) {
    const SimulatedProgram run{
        "kind=line,nodes=8",
        "random,seed=9",
        "kind=bitonic_sort,input=keys.csv,output=out/sorted.csv," + processes,
        {.folder = folder.path()}};
    run.run();
    EXPECT_EQ(run.program->verify(), true);
    const std::vector<OutputFile> files = run.program->output_files();
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].path, "out/sorted.csv");
    EXPECT_EQ(files[0].content, "-20\n-1.5\n0\n0.25\n4\n4\n7\n1000\n") << processes;
    EXPECT_EQ(run.answer(), "keys 8, largest 1000, median 0.25, smallest -20");
  }
}

TEST(BitonicSort, WithoutOutputWritesNothing) {
  const SimulatedProgram run{"kind=ring,nodes=8", "xor", "kind=bitonic_sort"};
  run.run();
  EXPECT_TRUE(run.program->output_files().empty());
}

std::string complaint_about(const std::string& settings,
                            const std::string& topology = "kind=ring,nodes=8",
                            const MachineChange& change = {}) {
  const TemporaryFolder folder;
  folder.write("ten.csv", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  folder.write("pairs.csv", "1,2\n3,4\n");
  folder.write("words.csv", "1\ntwo\n");
  folder.write("empty.csv", "");
  folder.write("large.csv", "1\n9007199254740993\n");
  return folder.shortened(complaint([&] {
    SimulatedProgram{topology,
                     "standard",
                     "kind=bitonic_sort" + settings,
                     {.folder = folder.path(), .change = change}};
  }));
}

TEST(BitonicSort, BadSettingsAreInputErrors) {
  EXPECT_EQ(complaint_about(",processes=6"),
            "/processes: 6 is not a power of two; the nearest are 4 and 8");
  EXPECT_EQ(complaint_about(",keys_per_process=0"),
            "/keys_per_process: 0 is not a number of keys (1 to 16777216)");
  EXPECT_EQ(complaint_about(",keys_per_process=16777217"),
            "/keys_per_process: 16777217 is not a number of keys (1 to 16777216)");
  EXPECT_EQ(complaint_about(",order=sideways"),
            "/order: \"sideways\" is unknown; known: as_defined, interleaved");
  EXPECT_EQ(complaint_about(",keys=3"),
            "/keys: unknown key; known: kind, processes, keys_per_process, input, order, output");
  EXPECT_EQ(complaint_about("", "kind=ring,nodes=8",
                            [](Machine& machine) { machine.compute["multiply"] = ExactTime{}; }),
            "machine unit does not say how long `compare` takes; add `compare`, or `add`, to its "
            "`compute` table");
}

TEST(BitonicSort, AnOrderThatIsNoPermutationIsAnInputError) {
  const std::string reason =
      " is not a permutation of the program's 3 cube dimensions (each number below 3 must appear "
      "once)";
  EXPECT_EQ(complaint_about(",order=[0,1]"), "/order: [0, 1]" + reason);
  EXPECT_EQ(complaint_about(",order=[0,1,3]"), "/order: [0, 1, 3]" + reason);
  EXPECT_EQ(complaint_about(",order=[2,1,2]"), "/order: [2, 1, 2]" + reason);
  EXPECT_EQ(complaint_about(",order=[0,1,-2]"), "/order/2: -2 is not a cube dimension");
}

TEST(BitonicSort, InterleavingNeedsACubeThatFillsTheMachine) {
  EXPECT_EQ(complaint_about(",order=interleaved,processes=4"),
            "/order: interleaved has no meaning for 4 processes on the ring of 8 (it needs sides "
            "that are powers of two and a process on every node); give the list of the dimensions");
  EXPECT_EQ(complaint_about(",order=interleaved,processes=8", "kind=torus,shape=3x5"),
            "/order: interleaved has no meaning for 8 processes on the 3x5 torus (it needs sides "
            "that are powers of two and a process on every node); give the list of the dimensions");
}

TEST(BitonicSort, KeysThatDoublePrecisionWouldChangeAreInputErrors) {
  EXPECT_EQ(complaint_about(",processes=1,input=large.csv"),
            "/input: large.csv: line 2 has 9007199254740993, which double precision cannot tell "
            "from its neighbours (whole numbers up to 2^53 it can)");
}

TEST(BitonicSort, AnInputFileThatCannotBeSortedIsAnInputError) {
  EXPECT_EQ(complaint_about(",input=ten.csv"),
            "/input: ten.csv holds 10 keys, which 8 processes cannot share evenly; give another "
            "number of `processes` or of keys");
  EXPECT_EQ(complaint_about(",input=ten.csv,processes=2"), "");
  EXPECT_EQ(complaint_about(",input=ten.csv,keys_per_process=5,processes=2"),
            "/keys_per_process: cannot go with `input` (the file says how many keys there are); "
            "leave it out");
  EXPECT_EQ(complaint_about(",input=gone.csv"),
            "/input: gone.csv cannot be read (No such file or directory)");
  EXPECT_EQ(complaint_about(",input=pairs.csv"),
            "/input: pairs.csv: line 1 has 2 fields; at most 1 can be used");
  EXPECT_EQ(complaint_about(",input=words.csv"),
            "/input: words.csv: line 2 has \"two\", not a finite number");
  EXPECT_EQ(complaint_about(",input=empty.csv"), "/input: empty.csv is empty");
  EXPECT_EQ(complaint_about(",input=5"), "/input: 5 is not a text");
}

}  // namespace
}  // namespace dcube::testing
