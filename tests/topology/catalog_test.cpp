#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "dcube/core/errors.hpp"
#include "topology/rerouted.hpp"

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
  EXPECT_EQ(kinds.size(), 16U);
  EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end(),
                             [](const auto* a, const auto* b) { return a->name < b->name; }));
}

TEST(TopologyCatalog, MachinesKnowTheirKind) {
  for (const TopologyKind* kind : topology_catalog()) {
    if (kind->example.empty()) {
      continue;  // it is made from a file
    }
    const auto topology = make_topology(Params::parse("kind=" + kind->name + "," + kind->example));
    EXPECT_EQ(topology->kind(), kind->name);
  }
}

TEST(TopologyCatalog, UnknownKindOffersTheNearestName) {
  EXPECT_EQ(problem_of("kind=toru,shape=4x4"),
            "x.json: /machine/topology/kind: \"toru\" is not a topology; did you mean `torus`?");
  EXPECT_EQ(problem_of("kind=butterfly"),
            "x.json: /machine/topology/kind: \"butterfly\" is not a topology; known: blocks, "
            "dragonfly, dragonfly_plus, fat_tree, graph, hypercube, hyperx, jellyfish, line, mesh, "
            "polarfly, ring, simgrid, slim_fly, torus, twisted_torus");
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

/// A shipped network that says something of itself.
class Claiming final : public Rerouted {
 public:
  Claiming(std::unique_ptr<Topology> base, Structure claim, std::uint32_t longer)
      : Rerouted{std::move(base)}, claim_{std::move(claim)}, longer_{longer} {}

  std::string_view kind() const override { return "claiming"; }
  const Structure& structure() const override { return claim_; }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    return Rerouted::distance(from, to) + (from == to ? 0 : longer_);
  }

 private:
  Structure claim_;
  std::uint32_t longer_;
};

std::string problem_of_claim(const std::string& settings, const Structure& claim,
                             std::uint32_t longer = 0) {
  static std::string base;
  static Structure said;
  static std::uint32_t by;
  static const TopologyKind claiming_kind{
      "claiming", "", "", {}, [](const Params&) -> std::unique_ptr<Topology> {
        return std::make_unique<Claiming>(make_topology(Params::parse(base)), said, by);
      }};
  static const bool is_registered = register_topology(claiming_kind);
  EXPECT_TRUE(is_registered);
  base = settings;
  said = claim;
  by = longer;
  const std::string problem = problem_of("kind=claiming");
  const std::string begin =
      "x.json: /machine/topology: the topology `claiming` is not as its structure() says: ";
  return problem.starts_with(begin) ? problem.substr(begin.size()) : problem;
}

TEST(RegisteredTopology, IsMadeWhereItIsWhatItSays) {
  using enum Structure::Line;
  EXPECT_EQ(problem_of_claim("kind=mesh,shape=3x4", {.lines = {path, path}}), "no error");
  EXPECT_EQ(problem_of_claim("kind=mesh,shape=3x4", {.lines = {cycle, cycle}}), "no error")
      << "links may be missing";
  EXPECT_EQ(
      problem_of_claim("kind=torus,shape=3x4", {.lines = {cycle, cycle}, .are_nodes_alike = true}),
      "no error");
  EXPECT_EQ(problem_of_claim("kind=hypercube,dimensions=3",
                             {.lines = {cycle, cycle, cycle}, .is_cube = true}),
            "no error");
  for (const char* shape : {"2x4", "4x4x8"}) {
    EXPECT_EQ(
        problem_of_claim(std::string{"kind=twisted_torus,shape="} + shape,
                         {.lines = std::vector(std::string_view{shape}.size() / 2 + 1, twisted),
                          .are_nodes_alike = true}),
        "no error");
  }
  EXPECT_EQ(problem_of_claim("kind=torus,shape=3x4", {}), "no error");
}

TEST(RegisteredTopology, IsRefusedWhereItIsNotWhatItSays) {
  using enum Structure::Line;
  EXPECT_EQ(problem_of_claim("kind=torus,shape=3x4", {.lines = {cycle, path}}),
            "links join neighbours along a line");
  EXPECT_EQ(problem_of_claim("kind=graph,edges=[[0,2],[2,1],[1,3],[3,0]]", {.lines = {cycle}}),
            "links join neighbours along a line");
  EXPECT_EQ(problem_of_claim("kind=torus,shape=3x4", {.lines = {cycle}}),
            "there is a line for each dimension");
  EXPECT_EQ(
      problem_of_claim("kind=mesh,shape=3x4", {.lines = {cycle, cycle}, .are_nodes_alike = true}),
      "nodes that are alike have all links");
  EXPECT_EQ(
      problem_of_claim("kind=mesh,shape=3x4", {.lines = {path, path}, .are_nodes_alike = true}),
      "nodes that are alike are on cycles and twisted lines alone");
  EXPECT_EQ(problem_of_claim("kind=graph,edges=[[0,1],[1,2]]", {.are_nodes_alike = true}),
            "nodes that are alike are on cycles and twisted lines alone");
  EXPECT_EQ(problem_of_claim("kind=mesh,shape=3x4",
                             {.lines = {twisted, twisted}, .are_nodes_alike = true}),
            "nodes that are alike have all links");
  EXPECT_EQ(problem_of_claim("kind=torus,shape=2x4", {.lines = {cycle, cycle}, .is_cube = true}),
            "a cube has cycles of two nodes alone");
  EXPECT_EQ(problem_of_claim("kind=ring,nodes=5", {.lines = {cycle}, .places = {{0, 0}}}),
            "there is a place for each node, or none");
  EXPECT_EQ(problem_of_claim("kind=torus,shape=3x4", {.lines = {cycle, cycle}}, 1),
            "routes are as long as the way along the lines");
}

}  // namespace
}  // namespace dcube
