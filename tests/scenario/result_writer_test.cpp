#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/json_reading.hpp"
#include "core/json_writing.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "scenario/embed_result.hpp"
#include "shipped_files.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

Scenario shipped(const std::string& name, const std::vector<Override>& overrides = {}) {
  return load_scenario(std::string{DCUBE_SOURCE_DIR "/scenarios/"} + name + ".json", overrides);
}

/// A result with made-up measurements.
RunResult some_result() {
  RunResult result;
  result.report.makespan = std::chrono::seconds{10};
  result.report.compute = {24.0, 3.0, std::chrono::seconds{3}};
  result.report.messages = 24;
  result.report.link_load = {3, 5, 4.0};
  result.report.busiest_links = {{LinkId{2}, 5}, {LinkId{4}, 5}};
  result.report.stages = {{std::chrono::seconds{2}, 0.0}};
  result.report.fingerprint = 0xabc;
  result.stage_dilation_max = {1};
  result.stage_link_load_max = {1};
  result.theory = Theory{std::chrono::seconds{10}, "recurrence"};
  return result;
}

std::vector<std::string> keys(const ordered_json& json) {
  std::vector<std::string> names;
  for (const auto& [key, value] : json.items()) {
    names.push_back(key);
  }
  return names;
}

ordered_json written(const Scenario& scenario, const RunResult& result,
                     ListOutput lists = ListOutput::when_small) {
  return ordered_json::parse(run_result_json(scenario, result, lists));
}

TEST(RunResultJson, HasTheKeysOfTheContractInOrder) {
  const ordered_json json = written(shipped("line-cc_dcube-standard"), some_result());
  EXPECT_EQ(keys(json), (std::vector<std::string>{
                            "outcome",   "makespan_s", "makespan_ps", "verified", "machine",
                            "embedding", "program",    "time_s",      "waiting",  "messages",
                            "link_load", "node_load",  "stages",      "model",    "theory",
                            "speedup",   "simulation", "scenario",    "settings", "dcube"}));
  EXPECT_EQ(keys(json["time_s"]),
            (std::vector<std::string>{"compute", "communication", "waiting", "endpoint", "idle"}));
  EXPECT_EQ(keys(json["time_s"]["compute"]), (std::vector<std::string>{"total", "mean", "max"}));
  EXPECT_EQ(keys(json["waiting"]),
            (std::vector<std::string>{"intervals", "processes", "longest_s"}));
  EXPECT_EQ(keys(json["messages"]),
            (std::vector<std::string>{"count", "bytes", "hops", "queued", "queued_s"}));
  EXPECT_EQ(keys(json["link_load"]),
            (std::vector<std::string>{"min", "max", "mean", "busiest", "utilisation", "top"}));
  EXPECT_EQ(keys(json["stages"][0]),
            (std::vector<std::string>{"stage", "dilation_max", "finish_max_s", "waiting_total_s",
                                      "link_load_max"}));
  EXPECT_EQ(keys(json["simulation"]),
            (std::vector<std::string>{"execution", "events", "wall_s", "hops_per_s",
                                      "peak_memory_bytes", "fingerprint"}));
}

TEST(RunResultJson, SaysWhatWasMeasured) {
  const ordered_json json = written(shipped("line-cc_dcube-standard"), some_result());
  EXPECT_EQ(json["outcome"], "completed");
  EXPECT_EQ(json["makespan_s"], 10.0);
  EXPECT_EQ(json["makespan_ps"], 10'000'000'000'000);
  EXPECT_TRUE(json["verified"].is_null());
  EXPECT_EQ(
      json["machine"].dump(),
      R"({"name":"unit-line-8","topology":"line","shape":[8],"nodes":8,"links":7,"structure":{"lines":["path"]}})");
  EXPECT_EQ(json["embedding"].dump(), R"({"kind":"standard","map":[0,1,2,3,4,5,6,7]})");
  EXPECT_EQ(
      json["program"].dump(),
      R"({"kind":"cc_dcube","processes":8,"guest":"cube:3","answer":{},"settings":{"compute":"1s","message":1}})");
  EXPECT_EQ(json["time_s"]["compute"].dump(), R"({"total":24.0,"mean":3.0,"max":3.0})");
  EXPECT_EQ(json["link_load"]["busiest"], "2->3");
  EXPECT_EQ(json["link_load"]["top"][1].dump(), R"({"link":"4->5","messages":5})");
  EXPECT_EQ(json["model"]["hop"], "latency 1 s + 0 s/byte");
  EXPECT_EQ(json["model"]["switching"],
            "store_and_forward, full duplex, links first come first served");
  EXPECT_EQ(json["theory"].dump(), R"({"makespan_s":10.0,"source":"recurrence"})");
  EXPECT_EQ(json["simulation"]["fingerprint"], "0000000000000abc");
}

TEST(RunResultJson, ModelNamesEveryCost) {
  const ordered_json ncube = written(shipped("hypercube-cc_dcube-ncube"), some_result());
  EXPECT_EQ(ncube["model"]["hop"], "latency 210.42 us + 1.2293 us/byte");
  EXPECT_EQ(ncube["model"]["endpoint"],
            "send 116.92 us + 591.15 ns/byte; receive 116.92 us + 591.15 ns/byte");
  const ordered_json slow = written(shipped("ring-cc_dcube-slow_link"), some_result());
  EXPECT_EQ(slow["model"]["hop"],
            "latency 1 s + 0 s/byte; 1 directed links have costs of their own");
  const ordered_json free = written(
      shipped("quickstart", {parse_override(R"(/machine/link=[{"latency":"1s"},{"latency":"2s"}])"),
                             parse_override("/machine/link/0/contention=false"),
                             parse_override("/machine/link/0/duplex=half")}),
      some_result());
  EXPECT_EQ(free["model"]["hop"],
            "dimension 0: latency 1 s + 0 s/byte; dimension 1: latency 2 s + 0 s/byte");
  EXPECT_EQ(free["model"]["switching"], "store_and_forward, half duplex, links never queue");
}

TEST(RunResultJson, ModelNamesSimGridsModelOfAFluidNetwork) {
  const ordered_json plain =
      written(shipped("quickstart", {parse_override("/machine/network=fluid")}), some_result());
  EXPECT_EQ(plain["model"]["switching"],
            "fluid (CM02, factors 1), full duplex, links shared by max-min fairness; nothing "
            "queues, and times are as exact as SimGrid's doubles");
  const ordered_json free = written(
      shipped("quickstart", {parse_override(R"(/machine/network={"kind":"fluid","model":"LV08"})"),
                             parse_override("/machine/link/contention=false")}),
      some_result());
  EXPECT_EQ(free["model"]["switching"],
            "fluid (LV08, latency * 13.01, bandwidth * 0.97), full duplex, every message has its "
            "links alone; nothing queues, and times are as exact as SimGrid's doubles");
}

TEST(RunResultJson, RandomEmbeddingShowsItsSeed) {
  const ordered_json json = written(shipped("torus-cc_dcube-random_embedding"), some_result());
  EXPECT_EQ(json["embedding"]["seed"], 7);
  EXPECT_EQ(json["scenario"]["seed"], 7);
}

TEST(RunResultJson, LargeMapsAreLeftOutUnlessAsked) {
  const Scenario scenario =
      shipped("quickstart", {parse_override(R"(/machine/topology/shape=[128,64])")});
  EXPECT_FALSE(written(scenario, some_result())["embedding"].contains("map"));
  EXPECT_EQ(written(scenario, some_result(), ListOutput::always)["embedding"]["map"].size(), 8192U);
}

TEST(RunResultJson, LongListsOfAnExplanationAreCutUnlessAsked) {
  RunResult result = some_result();
  result.explanation.emplace();
  result.explanation->path.parts.resize(most_listed + 1);
  const Scenario scenario = shipped("line-cc_dcube-standard");
  const auto parts = [&](ListOutput lists) {
    return written(scenario, result, lists)["critical_path"]["parts"].size();
  };
  EXPECT_EQ(parts(ListOutput::when_small), most_listed);
  EXPECT_EQ(parts(ListOutput::always), most_listed + 1);
}

TEST(RunResultJson, LoadsOfManyNodesAreLeftOutUnlessAsked) {
  const Scenario scenario =
      shipped("quickstart", {parse_override(R"(/machine/topology/shape=[128,64])")});
  RunResult result = some_result();
  result.report.node_loads.resize(8192);
  result.report.link_counters.crossings.resize(scenario.machine->topology->link_slots());
  result.report.link_counters.busy.resize(scenario.machine->topology->link_slots());
  EXPECT_FALSE(written(scenario, result).contains("node_loads"));
  EXPECT_EQ(written(scenario, result, ListOutput::always)["node_loads"].size(), 8192U);
}

TEST(RunResultJson, NamesTheVersionAndWhatWasReplaced) {
  const ordered_json json = written(shipped("quickstart", {parse_override("/program/message=64"),
                                                           parse_override("/machine=torus:4x4")}),
                                    some_result());
  EXPECT_EQ(json["dcube"]["version"], version());
  EXPECT_EQ(json["settings"].dump(), R"({"/machine":"torus:4x4","/program/message":64})");
  EXPECT_EQ(json["machine"]["name"], "torus:4x4");
}

TEST(RunResultJson, NamesFilesAsSeenFromItsFolder) {
  const TemporaryFolder folder;
  folder.write("s/items.csv", "1,2\n3,4\n");
  folder.write("s/x.json", R"({"schema_version": 1, "machine": "hypercube:3",
                               "program": {"kind": "knapsack", "input": "items.csv", "capacity": 3}})");
  std::filesystem::create_directory(folder.path() / "out");
  const WorkingFolder here{folder.path()};
  const Scenario scenario = load_scenario("s/x.json");
  const auto named = [&](const std::filesystem::path& results) {
    const ordered_json json = ordered_json::parse(
        run_result_json(scenario, some_result(), ListOutput::when_small, results));
    return std::vector<std::string>{json["scenario"]["source"],
                                    json["scenario"]["document"]["program"]["input"]};
  };
  EXPECT_EQ(named({}), (std::vector<std::string>{"s/x.json", "s/items.csv"}));
  EXPECT_EQ(named("out"), (std::vector<std::string>{"../s/x.json", "../s/items.csv"}));
  EXPECT_EQ(named("s"), (std::vector<std::string>{"x.json", "items.csv"}));
  // Read again from there, it is the same experiment.
  const ordered_json json =
      ordered_json::parse(run_result_json(scenario, some_result(), ListOutput::when_small, "out"));
  folder.write("out/again.json", json["scenario"]["document"].dump());
  EXPECT_EQ(load_scenario("out/again.json").program->guest().process_count(), 8U);
}

TEST(RunResultJson, DeadlockNamesWhoAwaitsWhom) {
  RunResult result = some_result();
  result.report.outcome = Outcome::deadlock;
  result.report.process_ends.resize(8);
  result.report.blocked = {
      {.process = ProcessId{2}, .awaits = ProcessId{5}, .since = std::chrono::seconds{1}},
      {.process = ProcessId{5}, .awaits = ProcessId{2}, .what = Awaits::partner}};
  const ordered_json json = written(shipped("line-cc_dcube-standard"), result);
  EXPECT_EQ(json["blocked_processes"], 2);
  EXPECT_EQ(json["blocked"].dump(), R"([{"process":2,"awaits":5,"since_s":1.0,"in":"receive"},)"
                                    R"({"process":5,"awaits":2,"since_s":0.0,"in":"exchange"}])");
  EXPECT_EQ(json["cycle"].dump(), "[2,5]");
}

TEST(RunResultJson, NumbersThatAreNoneAreADefect) {
  RunResult result = some_result();
  result.report.queued_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(run_result_json(shipped("line-cc_dcube-standard"), result), ContractViolation);
}

ordered_json embedded(const std::string& machine_name, const std::string& embedding_name,
                      const Guest& guest) {
  const auto machine = load_machine(machine_name);
  const auto embedding =
      make_embedding(*machine->topology, guest, load_embedding_settings(embedding_name));
  return ordered_json::parse(
      json_layout(embed_result(*machine->topology, guest, *embedding, std::chrono::seconds{1},
                               std::chrono::seconds{1}, ListOutput::when_small)));
}

TEST(EmbedResultJson, StandardOnARingOfEight) {
  const ordered_json json = embedded("unit-ring-8", "standard", Guest::cube(3));
  EXPECT_EQ(keys(json),
            (std::vector<std::string>{"dimensions", "constant_distances", "distances", "dilation",
                                      "node_load", "link_load", "gonzalez_load", "cc", "bound",
                                      "machine", "embedding", "guest", "map"}));
  EXPECT_EQ(json["dimensions"], 3);
  EXPECT_EQ(json["constant_distances"], true);
  EXPECT_EQ(json["distances"].dump(), "[1,2,4]");
  EXPECT_EQ(
      json["dilation"].dump(),
      R"({"longest":4,"total":28,"average":2.3333333333333335,"spectrum":{"1":4,"2":4,"4":4}})");
  EXPECT_EQ(json["node_load"].dump(), R"({"min":0,"max":6,"average":4.0})");
  EXPECT_EQ(json["link_load"].dump(), R"({"min":0,"max":5,"average":3.5})");
  EXPECT_EQ(json["gonzalez_load"].dump(), R"({"node":{"min":0,"max":3,"average":2.0},)"
                                          R"("link":{"min":0,"max":5,"average":3.5}})");
  EXPECT_EQ(json["cc"].dump(),
            R"({"compute_s":1.0,"message_hop_s":1.0,"makespan_s":10.0,"waiting_total_s":0.0,)"
            R"("waiting_processes":0})");
  EXPECT_EQ(json["bound"]["average_dilation"], 1.6666666666666667);
  EXPECT_EQ(json["guest"], "cube:3");
  EXPECT_EQ(json["map"].dump(), "[0,1,2,3,4,5,6,7]");
}

TEST(EmbedResultJson, DistancesThatDifferAreNull) {
  const ordered_json json = embedded("unit-line-8", "by_weight", Guest::cube(3));
  EXPECT_EQ(json["constant_distances"], false);
  EXPECT_TRUE(json["distances"].is_null());
}

TEST(EmbedResultJson, OtherGuestsHaveNoCcPart) {
  const ordered_json json = embedded("unit-torus-8x8", "identity", Guest::parse("mesh:8x8"));
  EXPECT_TRUE(json["cc"].is_null());
  EXPECT_EQ(json["guest"], "mesh:8x8");
}

// --- The scenario in a result ---

/// What a scenario becomes that is built from what its result, in `folder`, says of it.
Scenario again(const Scenario& scenario, const RunResult& result,
               const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "result.json";
  const std::string json = run_result_json(scenario, result, ListOutput::always, folder);
  const Setting content = read_json(json, file.string());
  return build_scenario(content.group()->group("scenario").group("document"), file);
}

void expect_same_again(Scenario scenario, const std::filesystem::path& folder) {
  SCOPED_TRACE(scenario.source);
  const RunResult result = run_scenario(scenario, nullptr, {}, Findings::report);
  Scenario repeated = again(scenario, result, folder);
  EXPECT_EQ(run_scenario(repeated, nullptr, {}, Findings::report).report.fingerprint,
            result.report.fingerprint);
  ASSERT_EQ(repeated.program_inputs.size(), scenario.program_inputs.size());
  for (const auto& [pointer, file] : scenario.program_inputs) {
    EXPECT_EQ(std::filesystem::weakly_canonical(repeated.program_inputs.at(pointer)),
              std::filesystem::weakly_canonical(file));
  }
}

TEST(ScenarioOfAResult, IsThatOfEveryScenarioThatIsShipped) {
  const TemporaryFolder folder;
  for (const std::filesystem::path& file : shipped_files("scenarios")) {
    expect_same_again(load_scenario(file), folder.path());
  }
}

TEST(ScenarioOfAResult, NamesTheFilesOfPhasesWhereTheyStand) {
  const TemporaryFolder folder;
  folder.write("s/a/t.csv", "0,3,100\n1,2,1000\n");
  folder.write("s/u.csv", "3,0,7\n");
  folder.write("s/x.json", R"({"schema_version": 1, "machine": "torus:2x2",
    "program": {"kind": "pattern", "guest": "torus:2x2", "phases": [
      {"compute": "1us * rank"}, {"exchange": 100, "meanwhile": [{"compute": "1us"}]},
      {"messages": [{"from": 0, "to": 1, "bytes": 5}]}, {"traffic": "u.csv"},
      {"repeat": 2, "name": "loop", "phases": [{"traffic": "a/t.csv", "name": "move"},
                                               {"collective": "allreduce", "bytes": 8}]}]}})");
  const WorkingFolder here{folder.path()};
  Scenario scenario = load_scenario("s/x.json");
  EXPECT_EQ(scenario.program_inputs, (std::map<std::string, std::filesystem::path>{
                                         {"/program/phases/3/traffic", "s/u.csv"},
                                         {"/program/phases/4/phases/0/traffic", "s/a/t.csv"}}));
  std::filesystem::create_directory("results");
  expect_same_again(std::move(scenario), "results");
}

}  // namespace
}  // namespace dcube
