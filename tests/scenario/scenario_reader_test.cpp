#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/validation.hpp"
#include "shipped_files.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

class ScenarioReader : public ::testing::Test {
 protected:
  Scenario load(std::string_view text) const { return load_scenario(folder.write("x.json", text)); }

  TemporaryFolder folder;
};

TEST_F(ScenarioReader, ReadsEveryPart) {
  const Scenario scenario = load(R"({
    "schema_version": 1, "name": "mine", "machine": "unit-ring-8", "embedding": "xor",
    "program": {"kind": "cc_dcube", "compute": "2s"}, "seed": 7, "execution": "coroutines"})");
  EXPECT_EQ(scenario.name, "mine");
  EXPECT_EQ(scenario.source, (folder.path() / "x.json").string());
  EXPECT_EQ(scenario.machine->name, "unit-ring-8");
  EXPECT_EQ(scenario.embedding->kind(), "xor");
  EXPECT_EQ(scenario.program->kind(), "cc_dcube");
  EXPECT_EQ(scenario.program_settings.text("compute"), "2s");
  EXPECT_EQ(scenario.seed, 7U);
  EXPECT_EQ(scenario.execution, Execution::coroutines);
}

TEST_F(ScenarioReader, ReadsJitterAsAPartOrWithASeed) {
  const auto load_jitter = [&](std::string_view jitter) {
    return load(R"({"schema_version": 1, "machine": "unit-ring-8", "seed": 7,
                    "program": {"kind": "cc_dcube"}, "jitter": )" +
                std::string{jitter} + "}");
  };
  const auto jitter_of = [&](std::string_view jitter) { return load_jitter(jitter).jitter; };
  EXPECT_EQ(jitter_of("1e-6").part, Jitter::whole / 1'000'000);
  EXPECT_EQ(jitter_of("1e-6").seed, 7U);
  EXPECT_EQ(jitter_of(R"({"part": 0.25, "seed": 3})").part, Jitter::whole / 4);
  EXPECT_EQ(jitter_of(R"({"part": 0.25, "seed": 3})").seed, 3U);
  EXPECT_EQ(jitter_of(R"({"part": 0.25})").seed, 7U);

  const auto complaint_of = [&](std::string_view jitter) {
    return folder.shortened(complaint([&] { load_jitter(jitter); }));
  };
  EXPECT_EQ(complaint_of("2"),
            "x.json: /jitter: 2 is not a relative amplitude (a number >= 0 and < 1, such as 1e-6)");
  EXPECT_EQ(complaint_of(R"("1e-6")"),
            "x.json: /jitter: \"1e-6\" is not a relative amplitude of computing times (a number >= "
            "0 and < 1)");
  EXPECT_EQ(complaint_of(R"({"seed": 1})"), "x.json: /jitter: `part` is missing");
  EXPECT_EQ(complaint_of(R"({"part": -1e-6})"),
            "x.json: /jitter/part: -1e-6 is not a relative amplitude (a number >= 0 and < 1, such "
            "as 1e-6)");
  EXPECT_EQ(complaint_of(R"({"part": 0.5, "draws": 3})"),
            "x.json: /jitter/draws: unknown key; known: part, seed");
}

TEST_F(ScenarioReader, WhatIsLeftOutHasDefaults) {
  const Scenario scenario =
      load(R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})");
  EXPECT_EQ(scenario.name, "x");
  EXPECT_EQ(scenario.embedding->kind(), "standard");
  EXPECT_EQ(scenario.seed, 0U);
  EXPECT_EQ(scenario.execution, Execution::automatic);
}

TEST_F(ScenarioReader, RandomEmbeddingTakesTheScenariosSeed) {
  const auto map = [&](const std::string& embedding, const std::string& seed) {
    return load(R"({"schema_version": 1, "machine": "unit-ring-16", "embedding": )" + embedding +
                R"(, "program": {"kind": "cc_dcube"}, "seed": )" + seed + "}")
        .embedding->map();
  };
  EXPECT_EQ(map("\"random\"", "5"), map(R"({"kind": "random", "seed": 5})", "6"));
  EXPECT_EQ(map(R"({"kind": "random"})", "5"), map("\"random\"", "5"));
  EXPECT_NE(map("\"random\"", "5"), map("\"random\"", "6"));
}

/// Leaves this process an address space of little more than it has.
class LittleMemory {
 public:
  LittleMemory() {
    getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    rlimit little = before_;
    little.rlim_cur = pages * 4096 + (std::uint64_t{1} << 27);
    setrlimit(RLIMIT_AS, &little);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

// A batch refuses a run that does not fit; other complaints are failures of the run.
TEST_F(ScenarioReader, EmbeddingThatDoesNotFitInMemoryIsAMemoryError) {
  const LittleMemory little;
  EXPECT_THROW(load(R"({"schema_version": 1, "embedding": "random",
    "machine": {"topology": {"kind": "hypercube", "dimensions": 26}},
    "program": {"kind": "cc_dcube", "dimensions": 3}})"),
               MemoryError);
}

TEST_F(ScenarioReader, RunsThatDoNotFitInMemoryAreMemoryErrorsBeforeTheyBegin) {
  Scenario scenario = load(R"({"schema_version": 1,
    "machine": {"topology": {"kind": "hypercube", "dimensions": 20}},
    "program": {"kind": "cc_dcube"}})");
  const LittleMemory little;
  EXPECT_THROW(run_scenario(scenario, nullptr, {}, Findings::report), MemoryError);
  EXPECT_THROW(RepeatedRuns{std::move(scenario)}, MemoryError);
}

TEST_F(ScenarioReader, PartsAreTakenOverWhereTheyWouldBeTheSame) {
  folder.write("messages.csv", "0,1,100\n1,2,100\n2,0,100\n");
  const auto file = folder.write("x.json", R"({"schema_version": 1, "machine": "unit-ring-16",
    "program": {"kind": "traffic", "file": "messages.csv"}})");
  const Params document = read_scenario_document(file);
  ScenarioParts parts;
  const auto build = [&](const std::vector<Override>& overrides) {
    return build_scenario(document, file, overrides, {}, &parts);
  };
  const Scenario first = build({});
  const Scenario second = build({{"/embedding", "random"}});
  EXPECT_EQ(second.program, first.program);
  EXPECT_EQ(second.machine, first.machine);
  EXPECT_EQ(second.program_inputs, first.program_inputs);
  EXPECT_EQ(second.inputs, first.inputs);
  EXPECT_NE(second.embedding->map(), first.embedding->map());
  for (const char* change : {"/program/rounds=2", "/seed=1", "/machine/link/latency=\"2s\"",
                             "/machine=\"unit-ring-8\""}) {
    const std::shared_ptr<Program> before = build({}).program;
    const Scenario changed = build({parse_override(change)});
    EXPECT_NE(changed.program, before) << change;
    EXPECT_EQ(changed.program->guest().process_count(), 3) << change;
  }
  // What could not be built is no part of others.
  EXPECT_THROW(build({{"/program/file", "none.csv"}}), InputError);
  EXPECT_EQ(build({}).program->guest().process_count(), 3);
}

TEST_F(ScenarioReader, MachineFileIsRelativeToTheScenario) {
  folder.write("m/mine.json", R"({"schema_version": 1, "topology": {"kind": "line", "nodes": 4}})");
  const Scenario scenario =
      load(R"({"schema_version": 1, "machine": "m/mine.json", "program": {"kind": "cc_dcube"}})");
  EXPECT_EQ(scenario.machine->name, "mine");
}

TEST_F(ScenarioReader, BrokenMachineFileIsNamedItself) {
  folder.write("m/mine.json", R"({"schema_version": 1, "topology": {"kind": "line", "nodes": 0}})");
  EXPECT_EQ(folder.shortened(complaint([&] {
    load(R"({"schema_version": 1, "machine": "m/mine.json", "program": {"kind": "x"}})");
  })),
            "m/mine.json: /topology/nodes: 0 is not a positive integer");
}

TEST(ValidateDocument, SaysWhichKindItIs) {
  for (const auto& file : shipped_files("scenarios")) {
    EXPECT_EQ(validate_document(file), DocumentKind::scenario) << file;
  }
  for (const auto& file : shipped_files("platforms")) {
    EXPECT_EQ(validate_document(file), DocumentKind::machine) << file;
  }
}

TEST(ShippedMachines, AreNamedAfterTheirFile) {
  for (const auto& file : shipped_files("platforms")) {
    EXPECT_EQ(load_machine(file.string())->name, file.stem());
  }
}

TEST(LoadEmbeddingSettings, TakesANameOrAFile) {
  EXPECT_EQ(load_embedding_settings("xor").text("kind"), "xor");
  const TemporaryFolder folder;
  const auto file = folder.write("e.json", R"({"kind": "explicit", "map": [1, 0]})");
  EXPECT_EQ(load_embedding_settings(file.string()).find("map")->describe(), "[1, 0]");
  EXPECT_EQ(complaint([] { load_embedding_settings("xro"); }),
            "\"xro\" is no embedding; did you mean `xor`?");
}

}  // namespace
}  // namespace dcube
