#include "dcube/scenario/task_graph.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/validation.hpp"
#include "shipped_files.hpp"
#include "support/complaint.hpp"
#include "support/schema_check.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

const Traffic two_messages{
    3, {{ProcessId{0}, ProcessId{1}, 20, 1}, {ProcessId{2}, ProcessId{1}, 5, 1}}};
const std::vector<Subcube> three_subcubes{Subcube::parse("00*"), Subcube::parse("01*"),
                                          Subcube::parse("11*")};

TEST(TaskGraph, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  folder.write("x.json", task_graph_json(two_messages, three_subcubes));
  const TaskGraphFile file = load_task_graph(folder.path() / "x.json");
  EXPECT_EQ(file.graph, two_messages);
  EXPECT_EQ(file.mapping, three_subcubes);
  EXPECT_EQ(validate_document(folder.path() / "x.json"), DocumentKind::task_graph);
  EXPECT_FALSE(schema_complaint("task_graph", file_content(folder.path() / "x.json")));
}

TEST(TaskGraph, ScenarioNamesItsMachineAsSeenFromWhereItStands) {
  const TemporaryFolder folder;
  folder.write("my/m.json", file_content(DCUBE_SOURCE_DIR "/platforms/unit-hypercube-3.json"));
  const WorkingFolder here{folder.path()};
  const auto file = folder.write(
      "out/s.json", exchange_scenario_json(two_messages, three_subcubes, {"my/m.json", {}, "out"}));
  EXPECT_EQ(load_scenario(file).inputs.back().lexically_normal(), folder.path() / "my/m.json");
  EXPECT_FALSE(schema_complaint("scenario", file_content(file)));
}

TEST(TaskGraph, AMappingAloneIsEnough) {
  const TemporaryFolder folder;
  folder.write("x.json", R"({"schema_version": 1, "mapping": ["0*", "1*"]})");
  EXPECT_FALSE(load_task_graph(folder.path() / "x.json").graph);
  folder.write("x.json", R"({"schema_version": 1})");
  EXPECT_NE(
      complaint([&] { load_task_graph(folder.path() / "x.json"); }).find("neither a task graph"),
      std::string::npos);
}

TEST(TaskGraph, AMappingOfNothingIsRefusedAsTheSchemaDoes) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.json", R"({"schema_version": 1, "mapping": []})");
  EXPECT_TRUE(schema_complaint("task_graph", file_content(file)));
  EXPECT_EQ(folder.shortened(complaint([&] { load_task_graph(file); })),
            "x.json: /mapping: [] is not a list of addresses over 0, 1 and *");
}

TEST(TaskGraph, ShippedOnesAreValid) {
  for (const auto& file : shipped_files("scenarios/tasks")) {
    EXPECT_TRUE(load_task_graph(file).graph) << file;
  }
}

TEST(TaskGraph, MakesAScenarioThatCanBeBuilt) {
  for (const bool contention : {false, true}) {
    const Scenario scenario =
        build_scenario(exchange_scenario(two_messages, three_subcubes, {"", contention}), "x.json");
    EXPECT_EQ(scenario.program->kind(), "subcube_exchange");
    EXPECT_EQ(scenario.machine->topology->node_count(), 8U);
    EXPECT_EQ(scenario.machine->links.contention == Contention::on, contention);
  }
  const Scenario named = build_scenario(
      exchange_scenario(two_messages, three_subcubes, {"unit-torus-8x8", false}), "x.json");
  EXPECT_EQ(named.machine->topology->node_count(), 64U);
  EXPECT_EQ(named.machine->links.contention, Contention::off);
}

TEST(RandomTaskGraph, HasAsManyEdgesAsAskedFor) {
  SplitMix64 random{1};
  const RandomTaskGraph exact = read_random_task_graph(Params::parse("tasks=25,edges=33,w=7"));
  const Traffic graph = random_task_graph(exact, random);
  EXPECT_EQ(graph.flows().size(), 33U);
  EXPECT_EQ(graph.total_bytes(), 33U * 7);
  const RandomTaskGraph likely = read_random_task_graph(Params::parse("tasks=100,ccp=0.2"));
  EXPECT_NEAR(static_cast<double>(random_task_graph(likely, random).flows().size()), 990, 120);
}

TEST(RandomTaskGraph, HasEitherANumberOfEdgesOrAProbability) {
  EXPECT_EQ(complaint([] { read_random_task_graph(Params::parse("tasks=4,edges=3,ccp=0.5")); }),
            "/ccp: has no meaning beside `edges` (which says how many); leave one out");
}

TEST(SubcubeStudy, ReadsItsSettingsAndAveragesOverGraphs) {
  const auto study = [](const std::string& more) {
    return mean_of_study(read_subcube_study(
        Params::parse("tasks=8,edges=9,subcube=2,dimensions=5,repetitions=20,method=" + more)));
  };
  const double random = study("random");
  EXPECT_DOUBLE_EQ(study("random"), random);
  EXPECT_LT(study("paper"), random);
  EXPECT_LE(study("annealing"), study("paper"));
  // Bandwidth is 4 nodes * 20 bytes * 9 messages * the distance of partners.
  EXPECT_DOUBLE_EQ(study("random,measure=node_distance"), random / (4 * 20 * 9));
  EXPECT_GT(study("random,measure=diameter"), study("annealing,measure=diameter"));
  EXPECT_LT(study("paper,kind=non_parallel,measure=subcube_distance"),
            study("paper,kind=non_parallel,measure=node_distance"));
}

TEST(SubcubeStudy, TasksThatDoNotFitAreAnInputError) {
  EXPECT_NE(complaint([] {
              read_subcube_study(Params::parse("tasks=9,subcube=2,dimensions=5,method=random"));
            }).find("9 tasks do not fit"),
            std::string::npos);
  EXPECT_NE(complaint([] {
              read_subcube_study(
                  Params::parse("tasks=2,subcube=2,dimensions=3,method=random,kind=non_parallel"));
            }).find("every mapping is parallel"),
            std::string::npos);
}

}  // namespace
}  // namespace dcube
