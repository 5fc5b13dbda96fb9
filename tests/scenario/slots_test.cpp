// Machines whose nodes host several processes, from the file to the result.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "support/complaint.hpp"
#include "support/schema_check.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

std::shared_ptr<const Machine> machine_of(const std::string& parts) {
  return read_machine(
      *read_json(R"({"topology": {"kind": "ring", "nodes": 8}, )" + parts + "}", "m.json").group(),
      "unnamed", VersionKey::optional);
}

TEST(SlotMachine, HasOneSlotUnlessItSaysSo) {
  const auto machine = machine_of(R"("node": {}, "endpoint": {})");
  EXPECT_EQ(machine->node.slots, 1U);
  EXPECT_FALSE(machine->node.cores);
  EXPECT_EQ(machine->node.local, TransferCost{});
  EXPECT_FALSE(machine->endpoint.eager_limit_bytes);
}

TEST(SlotMachine, ReadsEveryPart) {
  const auto machine = machine_of(
      R"("node": {"slots": 4, "cores": 2, "local": {"latency": "1us", "per_byte": "0.1ns"}},
         "endpoint": {"eager_limit": "64KiB"})");
  EXPECT_EQ(machine->node.slots, 4U);
  EXPECT_EQ(machine->node.cores, 2U);
  EXPECT_EQ(machine->node.local, (TransferCost{ExactTime{1'000'000, 1}, ExactTime{100, 1}}));
  EXPECT_EQ(machine->endpoint.eager_limit_bytes, 65536U);
  EXPECT_EQ(machine_of(R"("node": {"local": {"bandwidth": "1GBps"}})")->node.local.per_byte,
            ExactTime(1000, 1));
  EXPECT_FALSE(machine->links.injection);
  EXPECT_EQ(machine_of(R"("node": {"injection": {"bandwidth": "1GBps", "interfaces": 6}})")
                ->links.interfaces,
            6U);
  EXPECT_EQ(machine_of(R"("node": {"injection": {"latency": "1us", "bandwidth": "1GBps"}})")
                ->links.injection,
            (Injection{{ExactTime{1'000'000, 1}, ExactTime{1000, 1}}}));
  EXPECT_EQ(
      machine_of(R"("node": {"injection": {"out": {"bandwidth": "1GBps"}}})")->links.injection,
      (Injection{TransferCost{{}, ExactTime{1000, 1}}, std::nullopt}));
  EXPECT_EQ(
      machine_of(R"("node": {"injection": {"out": {"latency": "1ns"},
                                                 "in": {"latency": "2ns"}, "interfaces": 2}})")
          ->links.injection,
      (Injection{TransferCost{ExactTime{1000, 1}, {}}, TransferCost{ExactTime{2000, 1}, {}}}));
  EXPECT_EQ(machine_of(R"("endpoint": {"eager_limit": 0})")->endpoint.eager_limit_bytes, 0U);
}

TEST(SlotMachine, NamesThePlaceOfWhatCannotBe) {
  const auto problem = [](const std::string& parts) {
    return complaint([&] { machine_of(parts); });
  };
  EXPECT_EQ(problem(R"("node": {"slots": 0})"),
            "m.json: /node/slots: 0 is not a number of processes on a node (1 to 536870911)");
  EXPECT_EQ(problem(R"("node": {"slots": 536870912})"),
            "m.json: /node/slots: 536870912 is not a number of processes on a node (1 to "
            "536870911)");
  EXPECT_EQ(problem(R"("node": {"cores": 1.5})"),
            "m.json: /node/cores: 1.5 is not a number of cores of a node (1 to 4294967295)");
  EXPECT_EQ(problem(R"("node": {"slot": 2})"),
            "m.json: /node/slot: unknown key; did you mean `slots`?");
  EXPECT_EQ(problem(R"("node": {"local": {"latensy": 2}})"),
            "m.json: /node/local/latensy: unknown key; did you mean `latency`?");
  EXPECT_EQ(problem(R"("node": {"local": {"per_byte": 2, "bandwidth": 1}})"),
            "m.json: /node/local/bandwidth: given beside `per_byte` (one of them says what a byte "
            "costs)");
  EXPECT_EQ(problem(R"("node": {"injection": {"latensy": 2}})"),
            "m.json: /node/injection/latensy: unknown key; did you mean `latency`?");
  EXPECT_EQ(problem(R"("node": {"injection": {"bandwidth": "1GBps", "interfaces": 0}})"),
            "m.json: /node/injection/interfaces: 0 is not a number of interfaces (1 to 64)");
  EXPECT_EQ(problem(R"("node": {"injection": {"bandwidth": "1GBps", "in": {"latency": "1s"}}})"),
            "m.json: /node/injection/bandwidth: given beside `out` or `in` (it would be the cost "
            "of both)");
  EXPECT_EQ(problem(R"("node": {"injection": {"in": {"latensy": "1s"}}})"),
            "m.json: /node/injection/in/latensy: unknown key; did you mean `latency`?");
  for (const char* const injection : {"{}", R"({"interfaces": 2})"}) {
    EXPECT_EQ(problem(std::string{R"("node": {"injection": )"} + injection + "}"),
              "m.json: /node/injection: costs nothing (give latency, per_byte or bandwidth)");
  }
  EXPECT_EQ(problem(R"("node": {"injection": {"out": {}, "in": {"latency": "1s"}}})"),
            "m.json: /node/injection/out: costs nothing (give latency, per_byte or bandwidth)");
  EXPECT_EQ(problem(R"("endpoint": {"eager_limit": "1s"})").substr(0, 32),
            "m.json: /endpoint/eager_limit: \"");
}

TEST(SlotMachine, ConformsToTheSchemaWhereTheReaderAcceptsIt) {
  const auto found = [](const std::string& parts) {
    return schema_complaint(
               "machine",
               R"({"schema_version": 1, "topology": {"kind": "ring", "nodes": 8}, )" + parts + "}")
        .has_value();
  };
  EXPECT_FALSE(found(R"("node": {"slots": 4, "cores": 4,
                         "local": {"latency": "1us", "per_byte": "0.1ns"}})"));
  EXPECT_FALSE(found(R"("node": {}, "endpoint": {"eager_limit": "64KiB"})"));
  EXPECT_FALSE(found(R"("node": {"local": {"bandwidth": "1GBps"}})"));
  EXPECT_FALSE(found(R"("node": {"injection": {"bandwidth": "1GBps"}})"));
  EXPECT_FALSE(found(R"("node": {"injection": {"out": {"bandwidth": "1GBps"}, "interfaces": 6}})"));
  EXPECT_TRUE(found(R"("node": {"injection": {"out": {}, "bandwidth": "1GBps"}})"));
  EXPECT_TRUE(found(R"("node": {"injection": {"in": {"interfaces": 6}}})"));
  EXPECT_TRUE(found(R"("node": {"slots": 0})"));
  EXPECT_TRUE(found(R"("node": {"slot": 1})"));
  EXPECT_TRUE(found(R"("node": {"cores": 0})"));
  EXPECT_TRUE(found(R"("node": {"local": {"duplex": "half"}})"));
  EXPECT_TRUE(found(R"("endpoint": {"eager_limit": -1})"));
}

class SlotScenario : public ::testing::Test {
 protected:
  Scenario load(const std::string& topology, const std::string& embedding,
                const std::string& program) const {
    const std::string text = R"({"schema_version": 1, "machine": {"topology": )" + topology +
                             R"(, "link": {"latency": "1s", "per_byte": "7ms", "contention": false},
             "endpoint": {"send": "3ms", "receive": "5ms"},
             "node": {"slots": 4, "local": {"latency": "110ms", "per_byte": "1ms"}}},
             "embedding": )" +
                             embedding + R"(, "program": )" + program + "}";
    EXPECT_FALSE(schema_complaint("scenario", text)) << text;
    return load_scenario(folder.write("x.json", text));
  }

  TemporaryFolder folder;
};

TEST_F(SlotScenario, WithoutContentionTheRunTakesTheTimeOfTheRecurrence) {
  const char* torus = R"({"kind": "torus", "shape": [4, 4]})";
  const char* cube = R"({"kind": "hypercube", "dimensions": 4})";
  for (const char* topology : {torus, cube}) {
    for (const std::string kind : {"standard", "xor", "by_weight", "gray", "weighted_xor"}) {
      for (const std::string fold : {"\"low\"", "\"high\"", "[0, 5]", "[1, 3]", "[4, 2]"}) {
        for (const std::string order : {"ascending", "descending"}) {
          SCOPED_TRACE(kind + ", fold " + fold + ", " + order);
          Scenario scenario =
              load(topology, R"({"kind": ")" + kind + R"(", "fold": )" + fold + "}",
                   R"({"kind": "cc_dcube", "dimensions": 6, "message": 9, "order": ")" + order +
                       R"(", "compute": {"uniform": ["1s", "2s"]}})");
          const RunResult result = run_scenario(scenario);
          EXPECT_EQ(result.report.outcome, Outcome::completed);
          ASSERT_TRUE(result.theory);
          EXPECT_EQ(result.report.makespan, result.theory->makespan);
        }
      }
    }
  }
}

TEST_F(SlotScenario, PlacementsWithoutFoldFollowTheRecurrenceToo) {
  for (const std::string embedding :
       {"\"block\"", "\"cyclic\"", "\"identity\"", R"({"kind": "random", "seed": 3})"}) {
    SCOPED_TRACE(embedding);
    Scenario scenario = load(R"({"kind": "ring", "nodes": 8})", embedding,
                             R"({"kind": "cc_dcube", "dimensions": 5, "message": 9})");
    const RunResult result = run_scenario(scenario);
    EXPECT_EQ(result.report.makespan, result.theory->makespan);
  }
}

TEST_F(SlotScenario, ResultSaysHowManySlotsThereAre) {
  Scenario scenario = load(R"({"kind": "ring", "nodes": 4})", "\"block\"",
                           R"({"kind": "cc_dcube", "dimensions": 4})");
  const auto json =
      nlohmann::ordered_json::parse(run_result_json(scenario, run_scenario(scenario)));
  EXPECT_EQ(json["machine"]["nodes"], 4);
  EXPECT_EQ(json["machine"]["slots"], 4);
  EXPECT_EQ(json["model"]["node"],
            "4 slots, a core for every process; local latency 110 ms + 1 ms/byte");
  EXPECT_EQ(json["embedding"]["map"].dump(), "[0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3]");
  EXPECT_EQ(json["stages"][0]["dilation_max"], 0);
  EXPECT_EQ(json["stages"][2]["dilation_max"], 1);
}

TEST_F(SlotScenario, ProgramsFillSlotsAndAreVerified) {
  for (const std::string program :
       {R"("fft", "points": 256)", R"("bitonic_sort")", R"("broadcast")", R"("maze")"}) {
    SCOPED_TRACE(program);
    Scenario scenario = load(R"({"kind": "ring", "nodes": 4})", "\"standard\"",
                             R"({"kind": )" + program + R"(, "processes": 16})");
    EXPECT_EQ(scenario.embedding->process_count(), 16U);
    try {
      EXPECT_EQ(run_scenario(scenario).report.outcome, Outcome::completed);
    } catch (const InputError& error) {  // an operation that the machine has no duration for
      EXPECT_NE(std::string{error.what()}.find("does not say how long"), std::string::npos);
    }
  }
}

TEST_F(SlotScenario, ProcessesAreOneANodeUnlessTheProgramSaysMore) {
  EXPECT_EQ(load(R"({"kind": "ring", "nodes": 8})", "\"xor\"", R"({"kind": "cc_dcube"})")
                .embedding->process_count(),
            8U);
  EXPECT_EQ(folder.shortened(complaint([&] {
    load(R"({"kind": "ring", "nodes": 127})", "\"xor\"",
         R"({"kind": "broadcast", "processes": 512})");
  })),
            "x.json: /program/processes: 512 are too many (the ring of 127 has 508 slots on 127 "
            "nodes)");
}

TEST_F(SlotScenario, MapFilesMayNameANodeSeveralTimes) {
  folder.write("x.hostfile", "node-2 slots=4\nnode-0 slots=3\nnode-1\n");
  const Scenario scenario =
      load(R"({"kind": "ring", "nodes": 4})", R"({"kind": "explicit", "file": "x.hostfile"})",
           R"({"kind": "cc_dcube", "dimensions": 3})");
  std::vector<std::uint32_t> nodes;
  for (const NodeId node : scenario.embedding->map()) {
    nodes.push_back(node.index());
  }
  EXPECT_EQ(nodes, (std::vector<std::uint32_t>{2, 2, 2, 2, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace dcube
