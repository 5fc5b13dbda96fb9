#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

std::string problem_of(const std::string& settings) {
  try {
    make_topology(Params::parse(settings, "x.json: /machine/topology"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TopologyCatalog, IsSortedByName) {
  const auto kinds = topology_catalog();
  EXPECT_EQ(kinds.size(), 7U);
  EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end(),
                             [](const auto* a, const auto* b) { return a->name < b->name; }));
}

TEST(TopologyCatalog, MachinesKnowTheirKind) {
  for (const TopologyKind* kind : topology_catalog()) {
    const auto topology = make_topology(Params::parse("kind=" + kind->name + "," + kind->example));
    EXPECT_EQ(topology->kind(), kind->name);
  }
}

TEST(TopologyCatalog, UnknownKindOffersTheNearestName) {
  EXPECT_EQ(problem_of("kind=toru,shape=4x4"),
            "x.json: /machine/topology/kind: \"toru\" is not a topology; did you mean `torus`?");
  EXPECT_EQ(problem_of("kind=butterfly"),
            "x.json: /machine/topology/kind: \"butterfly\" is not a topology; known: graph, "
            "hypercube, line, mesh, ring, torus, twisted_torus");
}

std::unique_ptr<Topology> make_loop(const Params& settings) {
  return make_topology(
      Params::parse("kind=ring,nodes=" + std::to_string(settings.positive_int("nodes"))));
}

std::string problem_of_registering(const TopologyKind& kind) {
  try {
    register_topology(kind);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RegisterTopology, TakesAnEntryInItsPlaceAndItsNameOnce) {
  static const TopologyKind loop_kind{
      "loop", "a ring by another name", "nodes=5", {{"nodes", "nodes (>= 1)", ""}}, make_loop};
  EXPECT_EQ(problem_of_registering(loop_kind), "no error");
  EXPECT_EQ(make_topology(Params::parse("kind=loop,nodes=7"))->node_count(), 7U);
  const auto kinds = topology_catalog();
  EXPECT_TRUE(std::ranges::is_sorted(kinds, {}, &TopologyKind::name));
  EXPECT_EQ(problem_of_registering(loop_kind),
            "there is a topology `loop` already (give this one another name)");
}

TEST(RegisterTopology, NeedsANameAndAMaker) {
  EXPECT_EQ(problem_of_registering({"", "", "", {}, make_loop}),
            "a topology is registered without a name");
  EXPECT_EQ(problem_of_registering({"knot", "", "", {}, nullptr}),
            "the topology `knot` is registered without a function that makes it");
}

TEST(TopologyCatalog, KindIsRequired) { EXPECT_NE(problem_of("nodes=4"), "no error"); }

TEST(TopologyCatalog, SettingOfAnotherKindIsAnInputError) {
  EXPECT_EQ(problem_of("kind=ring,node=4"),
            "x.json: /machine/topology/node: unknown key; did you mean `nodes`?");
  EXPECT_NE(problem_of("kind=line,nodes=4,tie=positive"), "no error");
}

}  // namespace
}  // namespace dcube
