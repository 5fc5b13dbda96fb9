#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges_of(const Guest& guest, std::uint32_t dimension) {
  Edges edges;
  for (std::uint32_t process = 0; process < guest.process_count(); ++process) {
    if (const auto partner = guest.partner(ProcessId{process}, dimension)) {
      edges.emplace_back(process, partner->index());
    }
  }
  return edges;
}

std::string guest_problem(const std::string& text) {
  try {
    Guest::parse(text);
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), "");
    return error.problem();
  }
  return "no error";
}

TEST(Guest, NameIsWhatParseReads) {
  for (const char* text : {"cube:0", "cube:6", "ring:64", "ring:2", "line:16", "line:1", "mesh:8x8",
                           "torus:4x4x4", "tree:15", "tree:1"}) {
    EXPECT_EQ(Guest::parse(text).name(), text);
  }
}

TEST(Guest, OfProcessesIsACubeWhereThereIsOne) {
  EXPECT_EQ(Guest::of_processes(1), Guest::parse("cube:0"));
  EXPECT_EQ(Guest::of_processes(64), Guest::parse("cube:6"));
  EXPECT_EQ(Guest::of_processes(12), Guest::parse("line:12"));
}

TEST(Guest, LineAndRingAreMeshAndTorusOfOneDimension) {
  EXPECT_EQ(Guest::parse("mesh:16"), Guest::parse("line:16"));
  EXPECT_EQ(Guest::parse("torus:16"), Guest::parse("ring:16"));
  EXPECT_EQ(Guest::parse("torus:16").kind(), Guest::Kind::torus);
  EXPECT_NE(Guest::parse("mesh:16"), Guest::parse("ring:16"));
}

TEST(Guest, CubeHasTwoProcessesPerDimension) {
  const Guest cube = Guest::cube(3);
  EXPECT_EQ(cube, Guest::parse("cube:3"));
  EXPECT_EQ(cube.process_count(), 8U);
  EXPECT_EQ(std::vector(cube.shape().begin(), cube.shape().end()),
            (std::vector<std::uint32_t>{2, 2, 2}));
  EXPECT_EQ(Guest::cube(0).process_count(), 1U);
  EXPECT_EQ(Guest::cube(31).process_count(), 1U << 31);
  EXPECT_THROW(Guest::cube(32), ContractViolation);
}

TEST(Guest, CubeEdgesStartWhereTheBitIsZero) {
  EXPECT_EQ(edges_of(Guest::cube(3), 1), (Edges{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(Guest, MeshEdgesStopAtTheBorder) {
  const Guest mesh = Guest::parse("mesh:3x2");
  EXPECT_EQ(edges_of(mesh, 0), (Edges{{0, 1}, {1, 2}, {3, 4}, {4, 5}}));
  EXPECT_EQ(edges_of(mesh, 1), (Edges{{0, 3}, {1, 4}, {2, 5}}));
}

TEST(Guest, TorusEdgesGoRound) {
  EXPECT_EQ(edges_of(Guest::parse("ring:4"), 0), (Edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}}));
  EXPECT_EQ(edges_of(Guest::parse("torus:2x3"), 1),
            (Edges{{0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 0}, {5, 1}}));
}

TEST(Guest, TorusSideOfTwoIsOneEdgeAndOfOneNone) {
  EXPECT_EQ(edges_of(Guest::parse("torus:2x3"), 0), (Edges{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(edges_of(Guest::parse("torus:1x3"), 0), Edges{});
}

TEST(Guest, TreeEdgesLeadToLeftAndRightChildren) {
  const Guest tree = Guest::parse("tree:7");
  EXPECT_EQ(tree.dimension_count(), 2U);
  EXPECT_EQ(edges_of(tree, 0), (Edges{{0, 1}, {1, 3}, {2, 5}}));
  EXPECT_EQ(edges_of(tree, 1), (Edges{{0, 2}, {1, 4}, {2, 6}}));
}

TEST(Guest, PartnersInTheLargestGuestsAreExact) {
  const Guest tree = Guest::parse("tree:4294967295");
  EXPECT_EQ(tree.partner(ProcessId{2147483647}, 0), std::nullopt);
  EXPECT_EQ(tree.partner(ProcessId{2147483646}, 1), ProcessId{4294967294});
  const Guest ring = Guest::parse("ring:4294967295");
  EXPECT_EQ(ring.partner(ProcessId{4294967294}, 0), ProcessId{0});
}

TEST(Guest, PartnerOutsideIsAContractViolation) {
  EXPECT_THROW(Guest::cube(3).partner(ProcessId{8}, 0), ContractViolation);
  EXPECT_THROW(Guest::cube(3).partner(ProcessId{0}, 3), ContractViolation);
}

TEST(Guest, UnknownFormOffersTheNearest) {
  EXPECT_EQ(guest_problem("butterfly:8"),
            "\"butterfly:8\" is not a process shape; known: cube, line, mesh, ring, torus, tree");
  EXPECT_EQ(guest_problem("mash:8x8"), "\"mash:8x8\" is not a process shape; did you mean `mesh`?");
}

TEST(Guest, UnreadableSizesAreInputErrors) {
  for (const char* text : {"cube", "cube:", "cube:-1", "ring:8x", "mesh:8y8", "mesh:8x x8",
                           "line:99999999999", "mesh:x"}) {
    EXPECT_NE(guest_problem(text).find("(write its form and size, such as cube:6"),
              std::string::npos)
        << text;
  }
}

TEST(Guest, UnusableSizesAreInputErrors) {
  EXPECT_EQ(guest_problem("cube:32"),
            "\"cube:32\" is not a process shape (a cube has 0 to 31 dimensions)");
  EXPECT_EQ(guest_problem("cube:2x2"), "\"cube:2x2\" is not a process shape (a cube has one size)");
  EXPECT_EQ(guest_problem("ring:0"),
            "\"ring:0\" is not a process shape (each size is a positive integer)");
  EXPECT_EQ(guest_problem("tree:6"),
            "\"tree:6\" is not a process shape (a full tree has 2^k-1 processes)");
  EXPECT_EQ(guest_problem("mesh:65536x65536"),
            "\"mesh:65536x65536\" is not a process shape (at most 4294967295 processes)");
}

}  // namespace
}  // namespace dcube
