#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "closed_form_check.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "placements.hpp"

namespace dcube {
namespace {

void expect_enumeration(const std::string& machine, const std::string& embedding) {
  SCOPED_TRACE(embedding + " on " + machine);
  const auto topology = topology_of(machine);
  const Guest guest = cube_of(*topology);
  const auto form = closed_form(*topology, embedding);
  ASSERT_TRUE(form.has_value());
  expect_equal(*form, measure_embedding(*topology, guest, map_of(*topology, guest, embedding)));
}

/// Sides 2^(d_j) for 2^d nodes in `dimensions` dimensions, as "4x1x8", every way.
std::vector<std::string> shapes(std::uint32_t d, std::uint32_t dimensions) {
  if (dimensions == 1) {
    return {std::to_string(1U << d)};
  }
  std::vector<std::string> all;
  for (std::uint32_t first = 0; first <= d; ++first) {
    for (const std::string& rest : shapes(d - first, dimensions - 1)) {
      all.push_back(std::to_string(1U << first) + "x" + rest);
    }
  }
  return all;
}

TEST(ClosedForm, EqualsEnumerationOnRingsAndLines) {
  for (std::uint32_t d = 0; d <= 12; ++d) {
    const std::string nodes = ",nodes=" + std::to_string(1U << d);
    expect_enumeration("kind=line" + nodes, "standard");
    for (const char* tie : {",tie=no_wrap", ",tie=positive"}) {
      expect_enumeration("kind=ring" + nodes + tie, "standard");
      expect_enumeration("kind=ring" + nodes + tie, "xor");
    }
  }
}

TEST(ClosedForm, EqualsEnumerationOnToriAndMeshes) {
  for (const std::uint32_t d : {1U, 2U, 3U, 5U, 8U, 10U}) {
    for (const std::uint32_t dimensions : {2U, 3U}) {
      for (const std::string& shape : shapes(d, dimensions)) {
        expect_enumeration("kind=mesh,shape=" + shape, "standard");
        expect_enumeration("kind=torus,shape=" + shape, "standard");
        expect_enumeration("kind=torus,shape=" + shape, "xor");
        expect_enumeration("kind=torus,tie=positive,shape=" + shape, "xor");
      }
    }
  }
  for (const std::string& shape : shapes(12, 2)) {
    expect_enumeration("kind=torus,shape=" + shape, "standard");
    expect_enumeration("kind=torus,shape=" + shape, "xor");
  }
  expect_enumeration("kind=torus,shape=4x2x8x4", "xor");
  expect_enumeration("kind=torus,shape=8x4x2,wrap=[true,false,true]", "standard");
}

TEST(ClosedForm, EqualsEnumerationOnHypercubes) {
  for (const char* embedding : {"standard", "xor"}) {
    for (std::uint32_t d = 0; d <= 8; ++d) {
      expect_enumeration("kind=hypercube,dimensions=" + std::to_string(d), embedding);
    }
  }
}

TEST(ClosedForm, XorIsTheStandardEmbeddingOnAMeshOfTwos) {
  expect_enumeration("kind=mesh,shape=2x2x2", "xor");
}

TEST(ClosedForm, LinkLoadsAreGivenForRingsOnly) {
  EXPECT_EQ(closed_form(*topology_of("kind=ring,nodes=16"), "xor")->link_load_min, 4U);
  EXPECT_EQ(closed_form(*topology_of("kind=ring,nodes=16"), "xor")->link_load_max, 6U);
  EXPECT_FALSE(closed_form(*topology_of("kind=line,nodes=16"), "standard")->link_load_max);
  EXPECT_FALSE(closed_form(*topology_of("kind=torus,shape=4x4"), "xor")->link_load_max);
}

TEST(ClosedForm, NothingWhereThePaperHasNone) {
  EXPECT_FALSE(closed_form(*topology_of("kind=line,nodes=16"), "xor"));
  EXPECT_FALSE(closed_form(*topology_of("kind=mesh,shape=4x4"), "xor"));
  EXPECT_FALSE(closed_form(*topology_of("kind=ring,nodes=12"), "standard"));
  EXPECT_FALSE(closed_form(*topology_of("kind=torus,shape=4x6"), "xor"));
  EXPECT_FALSE(closed_form(*topology_of("kind=ring,nodes=8"), "by_weight"));
}

TEST(ClosedForm, AnswersForSixteenMillionNodes) {
  const auto torus = topology_of("kind=torus,shape=4096x4096");
  const auto standard = closed_form(*torus, "standard");
  const auto with_xor = closed_form(*torus, "xor");
  EXPECT_DOUBLE_EQ(standard->average_dilation, 2.0 * 4095 / 24);
  EXPECT_DOUBLE_EQ(with_xor->average_dilation, 2.0 * 3071 / 24);
  EXPECT_EQ(with_xor->longest_dilation, 1024U);
  EXPECT_EQ(with_xor->node_load_min, 2U * 1023);
}

struct TableRow {
  const char* shape;
  std::array<std::uint64_t, 4> loads;  ///< standard min, max; xor min, max
};

TEST(NodeLoad, IsThatOfTableOne) {
  const std::vector<TableRow> table{{"1x8", {0, 3, 1, 1}},      {"2x4", {0, 1, 0, 0}},
                                    {"1x16", {0, 8, 3, 4}},     {"2x8", {0, 3, 1, 1}},
                                    {"4x4", {0, 2, 0, 0}},      {"8x8", {0, 6, 2, 2}},
                                    {"16x16", {0, 16, 6, 8}},   {"16x32", {0, 26, 10, 14}},
                                    {"32x32", {0, 36, 14, 20}}, {"32x64", {0, 57, 22, 33}}};
  for (const TableRow& row : table) {
    SCOPED_TRACE(row.shape);
    const auto torus = topology_of(std::string{"kind=torus,shape="} + row.shape);
    const Guest guest = cube_of(*torus);
    const auto standard = measure_embedding(*torus, guest, map_of(*torus, guest, "standard"));
    const auto with_xor = measure_embedding(*torus, guest, map_of(*torus, guest, "xor"));
    EXPECT_EQ((std::array{standard.one_way.node.min, standard.one_way.node.max,
                          with_xor.one_way.node.min, with_xor.one_way.node.max}),
              row.loads);
    const auto standard_form = closed_form(*torus, "standard");
    const auto xor_form = closed_form(*torus, "xor");
    EXPECT_EQ((std::array{*standard_form->node_load_min, *standard_form->node_load_max,
                          *xor_form->node_load_min, *xor_form->node_load_max}),
              row.loads);
  }
}

}  // namespace
}  // namespace dcube
