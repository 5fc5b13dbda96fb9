#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/scenario.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

// Which files belong to a scenario, and how they are found.

namespace dcube {
namespace {

const char* const cube_text =
    R"({"schema_version": 1, "machine": "torus:4x2", "program": {"kind": "cc_dcube"}})";

/// Backwards on eight nodes, as a rankfile.
std::string rankfile(const std::string& host) {
  std::string text;
  for (int rank = 0; rank < 8; ++rank) {
    text += "rank " + std::to_string(rank) + "=" + host + std::to_string(7 - rank) + " slot=0\n";
  }
  return text;
}

TEST(ScenarioFiles, EveryFileThatIsReadIsAnInput) {
  const TemporaryFolder folder;
  folder.write("m/m.json", R"({"schema_version": 1, "topology": {"kind": "hypercube",
                               "dimensions": 3}})");
  folder.write("s/items.csv", "1,2\n3,4\n");
  folder.write("s/ranks.txt", rankfile("n"));
  folder.write("s/hosts.txt", "n0\nn1\nn2\nn3\nn4\nn5\nn6\nn7\n");
  folder.write("s/x.json", R"({
    "schema_version": 1, "machine": "../m/m.json",
    "embedding": {"kind": "explicit", "file": "ranks.txt", "format": "rankfile",
                  "hosts": "hosts.txt"},
    "program": {"kind": "knapsack", "input": "items.csv", "capacity": 3, "processes": 8}})");
  const WorkingFolder here{folder.path()};
  for (const std::vector<Override>& overrides :
       {std::vector<Override>{}, {parse_override("/machine/link/latency=1s")}}) {
    std::vector<std::string> inputs;
    for (const auto& input : load_scenario("s/x.json", overrides).inputs) {
      inputs.push_back(input.lexically_normal().string());
    }
    std::sort(inputs.begin(), inputs.end());
    EXPECT_EQ(inputs, (std::vector<std::string>{"m/m.json", "s/hosts.txt", "s/items.csv",
                                                "s/ranks.txt", "s/x.json"}));
  }
}

TEST(ScenarioFiles, OneReadingOfAPipeBuildsManyScenarios) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer{[&] { std::ofstream{pipe} << cube_text; }};
  const Params document = read_scenario_document(pipe);
  writer.join();
  for (const char* embedding : {"standard", "xor", "gray"}) {
    EXPECT_EQ(build_scenario(document, pipe, {{"/embedding", embedding}}).embedding->kind(),
              embedding);
  }
}

TEST(ScenarioFiles, ANetworkIsAMachine) {
  const auto bare = load_machine("torus:8x8");
  const auto file = load_machine("unit-torus-8x8");
  EXPECT_EQ(bare->name, "torus:8x8");
  EXPECT_EQ(describe(*bare->topology), describe(*file->topology));
  EXPECT_EQ(bare->links.per_dimension, file->links.per_dimension);
  EXPECT_EQ(load_machine("ring:5", Ticks{7})->links.per_dimension.at(0).fixed, ExactTime{Ticks{7}});
  const TemporaryFolder folder;
  const auto x = folder.write("x.json", cube_text);
  EXPECT_EQ(load_scenario(x).machine->name, "torus:4x2");
  EXPECT_EQ(load_scenario(x, {parse_override("/machine/topology/tie=positive")}).machine->name,
            "torus:4x2");
  const auto bad = [&](const std::string& machine) {
    return folder.shortened(complaint([&] { load_scenario(x, {{"/machine", machine}}); }));
  };
  EXPECT_EQ(bad("torus:4x0"),
            "x.json: /machine: torus:4x0: /shape/1: 0 is not a side (a positive integer)");
  EXPECT_EQ(bad("trous:4x4"),
            "x.json: /machine: trous:4x4: /kind: \"trous\" is not a topology; did you mean "
            "`torus`?");
}

TEST(ScenarioFiles, AnEmbeddingFileIsReadWhereverItIsNamed) {
  const TemporaryFolder folder;
  folder.write("s/x.json", cube_text);
  folder.write("e/ranks.txt", rankfile("n"));
  folder.write("e/hosts.txt", "n0\nn1\nn2\nn3\nn4\nn5\nn6\nn7\n");
  folder.write("e/e.json", R"({"kind": "explicit", "file": "rankfile:ranks.txt",
                               "hosts": "hosts.txt"})");
  folder.write("e/unnamed.json", R"({"kind": "explicit", "file": "rankfile:ranks.txt"})");
  folder.write("s/by_file.json", R"({"schema_version": 1, "machine": "torus:4x2",
    "embedding": {"kind": "explicit", "file": "../e/e.json"}, "program": {"kind": "cc_dcube"}})");
  const WorkingFolder here{folder.path()};
  const auto backwards = [](const std::vector<NodeId>& map) {
    return map.size() == 8 && map[0] == NodeId{7} && map[7] == NodeId{0};
  };
  const auto placed = [](const char* embedding, const char* hosts) {
    return load_scenario("s/x.json", {embedding_override(embedding, hosts, "s/x.json")});
  };
  for (const Scenario& scenario :
       {placed("e/e.json", ""), placed("e/unnamed.json", "n{}"),
        placed("e/unnamed.json", "e/hosts.txt"), placed("rankfile:e/ranks.txt", "n{}"),
        load_scenario("s/by_file.json")}) {
    EXPECT_TRUE(backwards(scenario.embedding->map()));
  }
  const auto machine = load_machine("torus:4x2");
  const Params settings =
      read_embedding_file(load_embedding_settings("e/e.json"), *machine->topology);
  EXPECT_EQ(settings.find("map")->list()->size(), 8U);
  const auto inputs = placed("e/e.json", "").inputs;
  EXPECT_TRUE(std::any_of(inputs.begin(), inputs.end(),
                          [](const auto& file) { return file == "e/e.json"; }));
}

TEST(ScenarioFiles, AMapFileHoldsItsMap) {
  const TemporaryFolder folder;
  const auto file = folder.write("e.json", R"({"kind": "explicit", "file": "e.json"})");
  const auto machine = load_machine("torus:4x2");
  EXPECT_EQ(folder.shortened(complaint([&] {
    read_embedding_file(load_embedding_settings(file.string()), *machine->topology);
  })),
            "e.json: /file: names one more JSON file (write the map here)");
}

TEST(ScenarioFiles, BehindALinkTwoDotsLeadElsewhere) {
  const TemporaryFolder folder;
  folder.write("deep/s/x.json", R"({"schema_version": 1, "machine": "../m.json",
                                    "program": {"kind": "cc_dcube"}})");
  folder.write("deep/m.json", R"({"schema_version": 1, "topology": {"kind": "ring", "nodes": 8}})");
  std::filesystem::create_directory_symlink(folder.path() / "deep/s", folder.path() / "link");
  EXPECT_EQ(load_scenario(folder.path() / "link/x.json").machine->name, "m");
}

TEST(ScenarioFiles, ShippedScenariosAreFoundByName) {
  const TemporaryFolder folder;
  const WorkingFolder here{folder.path()};
  EXPECT_EQ(find_scenario("quickstart").filename(), "quickstart.json");
  EXPECT_EQ(load_scenario("quickstart.json").name, "quickstart");
  EXPECT_EQ(complaint([] { find_scenario("quikstart"); }),
            "quikstart: cannot be read (there is neither such a file nor a scenario of that name; "
            "did you mean `quickstart`?)");
  EXPECT_EQ(find_scenario("none/quickstart.json"), "none/quickstart.json");
  folder.write("quickstart.json", cube_text);
  EXPECT_EQ(find_scenario("quickstart.json"), "quickstart.json");
  const auto listed = list_scenarios();
  EXPECT_GE(listed.size(), 15U);
  EXPECT_TRUE(std::all_of(listed.begin(), listed.end(),
                          [](const auto& scenario) { return !scenario.second.empty(); }));
}

}  // namespace
}  // namespace dcube
