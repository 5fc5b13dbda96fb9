#include "dcube/scenario/overrides.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/json_reading.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

const char* const document_text =
    R"({"program": {"message": 1, "a/b": 2}, "map": [5, [6]], "machine": "unit-ring-8"})";

Params changed(const std::string& text) {
  const Params document = *read_json(document_text, "x.json").group();
  const Override change = parse_override(text);
  return with_value(document, change.pointer, value_of(change, document));
}

std::string bad_override(const std::string& text) {
  return complaint([&] { changed(text); });
}

TEST(ParseOverride, SplitsAtTheFirstEqualsSign) {
  const Override change = parse_override("/program/order=a=b");
  EXPECT_EQ(change.pointer, "/program/order");
  EXPECT_EQ(change.value, "a=b");
}

TEST(ParseOverride, NeedsAPointerAndAValue) {
  const std::string form =
      " is not a setting (write /pointer=value, for example /program/message=64)";
  EXPECT_EQ(complaint([] { parse_override("program=1"); }), ".set: \"program=1\"" + form);
  EXPECT_EQ(complaint([] { parse_override("/program"); }), ".set: \"/program\"" + form);
  EXPECT_EQ(complaint([] { parse_override(""); }), ".set: \"\"" + form);
}

TEST(Override, ReplacesAValue) {
  EXPECT_EQ(changed("/program/message=64").group("program").find("message")->describe(), "64");
  EXPECT_EQ(changed("/map/1/0=7").find("map")->describe(), "[5, [7]]");
  EXPECT_EQ(changed("/program/a~1b=[1]").group("program").find("a/b")->describe(), "[1]");
}

TEST(Override, LeadsNoDeeperThanFilesAreNested) {
  std::string pointer = "/program";
  for (int i = 1; i < 64; ++i) {
    pointer += "/a";
  }
  EXPECT_TRUE(changed(pointer + "=1").group("program").has("a"));
  EXPECT_EQ(bad_override(pointer + "/a=1").substr(0, 29), R"(.set: "/program/a/a/a/a/a/a/a)");
  EXPECT_TRUE(bad_override(pointer + "/a=1").ends_with("leads too deep (more than 64 levels)"));
  for (int i = 0; i < 18; ++i) {  // half a million parts
    pointer += pointer.substr(pointer.size() / 2);
  }
  EXPECT_TRUE(bad_override(pointer + "=1").ends_with("leads too deep (more than 64 levels)"));
}

TEST(Override, CreatesAMissingLastKey) {
  EXPECT_EQ(changed("/seed=7").seed("seed", 0), 7U);
  EXPECT_EQ(changed("/program/exchange=eager").group("program").text("exchange"), "eager");
  EXPECT_EQ(changed("/map/-=8").find("map")->describe(), "[5, [6], 8]");
}

TEST(Override, TextThatIsNoJsonIsAString) {
  EXPECT_EQ(changed("/machine=unit-ring-16").text("machine"), "unit-ring-16");
  EXPECT_EQ(changed("/machine=\"5\"").text("machine"), "5");
  EXPECT_EQ(changed("/machine=").text("machine"), "");
}

TEST(Override, NewGroupsKnowTheirPlace) {
  const Params document = changed(R"(/machine={"link": {}})");
  EXPECT_EQ(document.group("machine").group("link").place(), "x.json: /machine/link");
}

TEST(Override, GroupsOnTheWayAreMadeAndKnowTheirPlace) {
  const Params document = changed("/endpoint/costs/send=1us");
  EXPECT_EQ(document.group("endpoint").group("costs").text("send"), "1us");
  EXPECT_EQ(document.group("endpoint").group("costs").place(), "x.json: /endpoint/costs");
}

TEST(Override, BadPointerIsAnInputError) {
  EXPECT_EQ(bad_override("/program/message/x=1"),
            ".set /program/message/x: /program/message is 1, which has no parts");
  for (const char* entry : {"2", "x", "-1", "01", "", "99999999999999999999"}) {
    EXPECT_EQ(bad_override(std::string{"/map/"} + entry + "=1"),
              std::string{".set /map/"} + entry + ": /map has no entry `" + entry +
                  "` (it is a list of 2; `-` appends)");
  }
  EXPECT_EQ(bad_override("/a~2b=1"),
            ".set: \"/a~2b\" is not a JSON pointer (write ~ as ~0 and / as ~1)");
  EXPECT_EQ(bad_override("/a~=1"),
            ".set: \"/a~\" is not a JSON pointer (write ~ as ~0 and / as ~1)");
}

TEST(Override, ReachesIntoANamedMachine) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "x.json",
      R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})");
  const Scenario scenario = load_scenario(file, {parse_override("/machine/link/latency=2.5ps"),
                                                 parse_override("/machine/topology/nodes=16")});
  EXPECT_EQ(scenario.machine->name, "unit-ring-8");
  EXPECT_EQ(scenario.machine->links.per_dimension.at(0).fixed, ExactTime(5, 2));
  EXPECT_EQ(scenario.machine->topology->node_count(), 16U);
}

TEST(Override, ComplaintsAboutANamedMachineSayWhereItWasChanged) {
  const TemporaryFolder folder;
  for (const char* machine : {"torus:4x4", "unit-ring-8"}) {
    const auto file = folder.write(
        "x.json",
        fmt::format(
            R"({{"schema_version": 1, "machine": "{}", "program": {{"kind": "cc_dcube"}}}})",
            machine));
    const auto place = [&](const char* setting) {
      try {
        load_scenario(file, {parse_override(setting)});
      } catch (const InputError& error) {
        return error.place();
      }
      return std::string{};
    };
    EXPECT_EQ(place("/machine/plans=1"), file.string() + ": /machine/plans");
    EXPECT_EQ(place("/machine/link/latency=x"), file.string() + ": /machine/link/latency");
  }
}

TEST(Override, OnePointerIsReplacedOnce) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "x.json",
      R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})");
  const auto loaded = [&](const char* first, const char* second) {
    return load_scenario(file, {parse_override(first), parse_override(second)});
  };
  EXPECT_EQ(complaint([&] { loaded("/seed=1", "/seed=2"); }),
            ".set /seed: is given twice (a value is replaced once)");
  EXPECT_EQ(
      complaint([&] { loaded("/machine/link/latency=2s", "/machine=ring:8"); }),
      ".set /machine: replaces /machine/link/latency, which is set before it (give it first)");
  EXPECT_EQ(loaded("/machine=ring:8", "/machine/link/latency=2s").machine->name, "ring:8");
  const Scenario appended = loaded(R"(/machine/links=[{"from": 0, "to": 1, "latency": 2}])",
                                   R"(/machine/links/-={"from": 1, "to": 2, "latency": 2})");
  EXPECT_EQ(appended.machine->links.overrides.size(), 2U);
}

TEST(Override, WhatIsReplacedIsTold) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "x.json",
      R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})");
  const Scenario scenario = load_scenario(
      file, {parse_override("/program/message=64"), parse_override("/machine=torus:4x2")});
  EXPECT_EQ(scenario.overridden.find("/program/message")->describe(), "64");
  EXPECT_EQ(scenario.overridden.find("/machine")->describe(), "\"torus:4x2\"");
}

TEST(Override, ListsThatAreAppendedAreToldOneByOne) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.json", R"({"schema_version": 1, "machine": "hypercube:2",
    "program": {"kind": "subcube_exchange", "mapping": ["0*", "1*"], "messages": [[0, 1, 20]]}})");
  const std::string pointer = "/program/messages/-";
  const Override first = parse_override(pointer + "=[1,0,5]");
  const Override second = parse_override(pointer + "=[0,1,7]");
  EXPECT_EQ(load_scenario(file, {first}).overridden.find(pointer)->describe(), "[1, 0, 5]");
  EXPECT_EQ(load_scenario(file, {first, second}).overridden.find(pointer)->describe(),
            "[[1, 0, 5], [0, 1, 7]]");
}

TEST(Override, ValueIsCheckedLikeAnyOther) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "x.json",
      R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})");
  const auto bad = [&](const std::string& text) {
    return folder.shortened(complaint([&] { load_scenario(file, {parse_override(text)}); }));
  };
  EXPECT_EQ(bad("/program/massage=64"),
            "x.json: /program/massage: unknown key; did you mean `message`?");
  EXPECT_EQ(bad("/seed=x"), "x.json: /seed: \"x\" is not a seed (a non-negative integer)");
}

}  // namespace
}  // namespace dcube
