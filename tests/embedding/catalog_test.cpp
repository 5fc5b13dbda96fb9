#include "embedding/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Names = std::vector<std::string>;

Names fitting(const std::string& machine, const std::string& guest) {
  return fitting_embeddings(*placing::machine(machine), Guest::parse(guest));
}

TEST(EmbeddingCatalog, IsSortedByName) {
  const auto kinds = embedding_catalog();
  EXPECT_EQ(kinds.size(), 15U);
  EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end(),
                             [](const auto* a, const auto* b) { return a->name < b->name; }));
}

TEST(EmbeddingCatalog, FittingKindsNeedNoSettings) {
  EXPECT_EQ(fitting("kind=ring,nodes=8", "cube:3"),
            (Names{"by_weight", "gray", "identity", "standard", "xor"}));
  EXPECT_EQ(fitting("kind=mesh,shape=3x5", "cube:3"), (Names{"identity", "standard"}));
  EXPECT_EQ(fitting("kind=hypercube,dimensions=3", "tree:7"),
            (Names{"binary_tree", "identity", "standard"}));
  EXPECT_EQ(fitting("kind=hypercube,dimensions=4", "ring:16"),
            (Names{"gray", "identity", "standard"}));
  EXPECT_EQ(fitting("kind=ring,nodes=7", "cube:3"), Names{});
}

TEST(EmbeddingCatalog, FittingKindsCanBeMade) {
  for (const std::string& kind : fitting("kind=torus,shape=4x4", "cube:4")) {
    EXPECT_EQ(placing::problem_of("kind=torus,shape=4x4", "cube:4", "kind=" + kind), "no error");
  }
}

TEST(EmbeddingCatalog, MisfitSaysWhyAndWhatWouldFit) {
  EXPECT_EQ(placing::problem_of("kind=mesh,shape=3x5", "cube:3", "kind=xor"),
            "/kind: xor does not fit the 3x5 mesh (sides must be powers of two); identity, "
            "standard, explicit or random would fit");
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=16", "cube:3", "kind=by_weight"),
            "/kind: by_weight does not fit the ring of 16 (it needs as many processes as nodes: "
            "cube:3 has 8, the machine 16); identity, standard, explicit or random would fit");
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=8", "ring:8", "kind=xor"),
            "/kind: xor does not fit the ring of 8 (it places a cube, not ring:8); gray, identity, "
            "standard, explicit or random would fit");
}

TEST(EmbeddingCatalog, TooManyProcessesNeedALargerMachine) {
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=7", "cube:3", "kind=standard"),
            "/kind: standard does not fit the ring of 7 (cube:3 has 8 processes, the machine 7 "
            "nodes); a machine of at least 8 nodes would fit");
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=8", "mesh:3x3", "kind=xor"),
            "/kind: xor does not fit the ring of 8 (mesh:3x3 has 9 processes, the machine 8 "
            "nodes); a machine of at least 9 nodes would fit");
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=1", "ring:4", "kind=standard"),
            "/kind: standard does not fit the ring of 1 (ring:4 has 4 processes, the machine 1 "
            "node); a machine of at least 4 nodes would fit");
}

TEST(EmbeddingCatalog, UnknownKindOffersTheNearestName) {
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=8", "cube:3", "kind=grey"),
            "/kind: \"grey\" is not an embedding; did you mean `gray`?");
}

TEST(EmbeddingCatalog, KindIsRequired) {
  EXPECT_NE(placing::problem_of("kind=ring,nodes=8", "cube:3", ""), "no error");
}

TEST(EmbeddingCatalog, UnknownSettingIsAnInputError) {
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=8", "cube:3", "kind=random,sead=1"),
            "/sead: unknown key; did you mean `seed`?");
  EXPECT_NE(placing::problem_of("kind=ring,nodes=8", "cube:3", "kind=xor,seed=1"), "no error");
}

TEST(EmbeddingCatalog, GuestSettingReplacesTheProcessShape) {
  EXPECT_EQ(placing::map_of("kind=hypercube,dimensions=3", "cube:3", "kind=gray,guest=ring:8"),
            placing::map_of("kind=hypercube,dimensions=3", "ring:8", "kind=gray"));
}

TEST(EmbeddingCatalog, GuestSettingKeepsTheNumberOfProcesses) {
  EXPECT_EQ(placing::problem_of("kind=torus,shape=4x4", "cube:3", "kind=gray,guest=mesh:4x4"),
            "/guest: mesh:4x4 has 16 processes (cube:3 has 8)");
}

TEST(EmbeddingCatalog, UnreadableGuestIsNamedByItsPlace) {
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=7", "ring:7", "kind=identity,guest=tree:6"),
            "/guest: \"tree:6\" is not a process shape (a full tree has 2^k-1 processes)");
}

}  // namespace
}  // namespace dcube
