#include "scenario/schema_validation.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "dcube/program/program.hpp"
#include "dcube/topology/topology.hpp"
#include "scenario/embedded_schema.hpp"
#include "scenario/json_reading.hpp"
#include "shipped_files.hpp"

namespace dcube {
namespace {

Params document(std::string_view text) { return *read_json(text, "x.json").group(); }

/// The group that a chain of keys leads to.
Params group_at(std::string_view schema, const std::vector<std::string>& keys) {
  Params group = document(schema);
  for (const std::string& key : keys) {
    group = Params{group.group(key)};
  }
  return group;
}

/// The names that "kind" offers to an editor.
std::vector<std::string> offered_kinds(std::string_view schema, const std::string& definition) {
  const Params kind = group_at(schema, {"definitions", definition, "properties", "kind"});
  std::vector<std::string> names;
  for (const Setting& name : *kind.find("anyOf")->list()->front().group()->find("enum")->list()) {
    names.push_back(*name.text());
  }
  return names;
}

template <class Kind>
std::set<std::string> parameter_names(const Kind& kind) {
  std::set<std::string> names{"kind"};
  for (const ParameterHelp& parameter : kind.parameters) {
    names.insert(parameter.name);
  }
  return names;
}

/// The schema's settings of `name` are those that the catalogue's entry of that name reads.
template <class Catalog>
void expect_same_settings(std::string_view schema, const std::string& name,
                          const Catalog& catalog) {
  const std::vector<std::string> keys =
      group_at(schema, {"definitions", name, "properties"}).keys();
  for (const auto* kind : catalog) {
    if (kind->name == name) {
      EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()), parameter_names(*kind)) << name;
      return;
    }
  }
  ADD_FAILURE() << "the schema offers " << name << ", which the catalogue does not have";
}

TEST(Schema, AcceptsEveryShippedMachine) {
  const auto files = shipped_files("platforms");
  EXPECT_GE(files.size(), 25U);
  for (const auto& file : files) {
    const auto found = schema_complaint(DocumentKind::machine, read_json_file(file));
    EXPECT_FALSE(found) << file << ": " << found->pointer << ": " << found->problem;
  }
}

TEST(Schema, AcceptsEveryShippedScenario) {
  const auto files = shipped_files("scenarios");
  EXPECT_GE(files.size(), 15U);
  for (const auto& file : files) {
    const auto found = schema_complaint(DocumentKind::scenario, read_json_file(file));
    EXPECT_FALSE(found) << file << ": " << found->pointer << ": " << found->problem;
  }
}

TEST(Schema, TopologiesAreThoseOfTheCatalogue) {
  for (const std::string& name : offered_kinds(machine_schema(), "topology")) {
    expect_same_settings(machine_schema(), name, topology_catalog());
  }
}

TEST(Schema, ProgramsAreThoseOfTheCatalogue) {
  EXPECT_EQ(offered_kinds(scenario_schema(), "program").size(), program_catalog().size());
  for (const std::string& name : offered_kinds(scenario_schema(), "program")) {
    expect_same_settings(scenario_schema(), name, program_catalog());
  }
}

TEST(Schema, ComplaintNamesTheDeepestPlace) {
  const auto found = schema_complaint(
      DocumentKind::machine,
      document(R"({"schema_version": 1, "topology": {"kind": "torus", "shape": [4, 0]}})"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pointer, "/topology/shape/1");
  EXPECT_EQ(found->problem,
            "does not conform to the schema (Expected number greater than or equal to 1.000000)");
}

TEST(Schema, WholeNumbersMayBeWrittenAsDecimals) {
  EXPECT_FALSE(schema_complaint(
      DocumentKind::machine,
      document(R"({"schema_version": 1.0, "topology": {"kind": "ring", "nodes": 8.0}})")));
}

TEST(Schema, LargestSeedConforms) {
  EXPECT_FALSE(schema_complaint(DocumentKind::scenario, document(R"({
    "schema_version": 1, "machine": "m", "program": {"kind": "p"},
    "seed": 18446744073709551615})")));
}

TEST(Schema, KindsItDoesNotKnowAreLeftToTheCatalogues) {
  EXPECT_FALSE(schema_complaint(DocumentKind::scenario, document(R"({
    "schema_version": 1, "machine": {"topology": {"kind": "butterfly", "stages": 3}},
    "embedding": {"kind": "spiral", "turns": 2}, "program": {"kind": "sort", "keys": 9}})")));
}

TEST(Schema, LongTextsAreHarmless) {
  const std::string digits(2'000'000, '1');
  EXPECT_TRUE(
      schema_complaint(DocumentKind::machine,
                       document(R"({"schema_version": 1, "topology": {"kind": "ring", "nodes": 8},
                   "link": {"latency": ")" +
                                digits + R"(x", "bandwidth": "x)" + digits + R"("}})")));
}

}  // namespace
}  // namespace dcube
