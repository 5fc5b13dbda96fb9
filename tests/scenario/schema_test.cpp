#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/json_reading.hpp"
#include "dcube/program/operations.hpp"
#include "dcube/program/program.hpp"
#include "dcube/topology/topology.hpp"
#include "shipped_files.hpp"
#include "support/schema_check.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

/// The group that a chain of keys of a schema leads to.
Params group_at(const std::string& schema, const std::vector<std::string>& keys) {
  Params group = read_json_file(std::filesystem::path{DCUBE_SOURCE_DIR} / "schema" /
                                (schema + ".schema.json"));
  for (const std::string& key : keys) {
    group = Params{group.group(key)};
  }
  return group;
}

/// The names that "kind" offers to an editor.
std::vector<std::string> offered_kinds(const std::string& schema, const std::string& definition) {
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
void expect_same_settings(const std::string& schema, const std::string& name,
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

/// The shipped files of a folder, each of which conforms to the schema.
std::size_t conforming_files(const std::string& folder, const std::string& schema) {
  const auto files = shipped_files(folder);
  for (const auto& file : files) {
    const auto found = schema_complaint(schema, file_content(file));
    EXPECT_FALSE(found) << file << ": " << found->pointer << ": " << found->problem;
  }
  return files.size();
}

TEST(Schema, AcceptsEveryShippedFile) {
  EXPECT_GE(conforming_files("platforms", "machine"), 25U);
  EXPECT_GE(conforming_files("scenarios", "scenario"), 15U);
  EXPECT_GE(conforming_files("validation", "experiments"), 2U);
}

TEST(Schema, TopologiesAreThoseOfTheCatalogue) {
  for (const std::string& name : offered_kinds("machine", "topology")) {
    expect_same_settings("machine", name, topology_catalog());
  }
}

TEST(Schema, OperationsAreThoseThatProgramsAskFor) {
  const auto names = operation_names();
  EXPECT_EQ(
      group_at("machine", {"definitions", "machine", "properties", "compute", "properties"}).keys(),
      (std::vector<std::string>{names.begin(), names.end()}));
}

TEST(Schema, ProgramsAreThoseOfTheCatalogue) {
  EXPECT_EQ(offered_kinds("scenario", "program").size(), program_catalog().size());
  for (const std::string& name : offered_kinds("scenario", "program")) {
    expect_same_settings("scenario", name, program_catalog());
  }
}

TEST(Schema, ComplaintNamesTheDeepestPlace) {
  const auto found = schema_complaint(
      "machine", R"({"schema_version": 1, "topology": {"kind": "torus", "shape": [4, 0]}})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pointer, "/topology/shape/1");
  EXPECT_EQ(found->problem,
            "does not conform to the schema (Expected number greater than or equal to 1.000000)");
}

TEST(Schema, WholeNumbersMayBeWrittenAsDecimals) {
  EXPECT_FALSE(schema_complaint(
      "machine", R"({"schema_version": 1.0, "topology": {"kind": "ring", "nodes": 8.0}})"));
}

TEST(Schema, LargestSeedConforms) {
  EXPECT_FALSE(schema_complaint("scenario", R"({
    "schema_version": 1, "machine": "m", "program": {"kind": "p"},
    "seed": 18446744073709551615})"));
}

TEST(Schema, KindsItDoesNotKnowAreLeftToTheCatalogues) {
  EXPECT_FALSE(schema_complaint("scenario", R"({
    "schema_version": 1, "machine": {"topology": {"kind": "butterfly", "stages": 3}},
    "embedding": {"kind": "spiral", "turns": 2}, "program": {"kind": "sort", "keys": 9}})"));
}

}  // namespace
}  // namespace dcube
