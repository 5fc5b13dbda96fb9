#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "placing.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

std::vector<std::uint32_t> nodes(const std::string& machine, const Guest& guest,
                                 const std::string& order, std::uint32_t slots = 1) {
  const auto topology = placing::machine(machine);
  std::vector<std::uint32_t> nodes;
  for (const NodeId node :
       make_embedding(*topology, guest, Params::parse("kind=axes,order=[" + order + "]"), slots)
           ->map()) {
    nodes.push_back(node.index());
  }
  return nodes;
}

TEST(Axes, CountInAnotherOrder) {
  const Guest guest = Guest::parse("torus:2x3").with_axes({"tensor", "data"});
  EXPECT_EQ(nodes("kind=ring,nodes=6", guest, "tensor,data"),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(nodes("kind=ring,nodes=6", guest, "data,tensor"),
            (std::vector<std::uint32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(nodes("kind=ring,nodes=3", guest, "data,tensor", 2),
            (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(nodes("kind=ring,nodes=6", Guest::parse("mesh:2x3"), "1,0"),
            (std::vector<std::uint32_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Axes, AreNamedOnceEach) {
  const auto problem = [](const Guest& guest, const std::string& order) {
    return complaint<InputError>([&] { nodes("kind=ring,nodes=6", guest, order); });
  };
  const Guest guest = Guest::parse("torus:2x3").with_axes({"tensor", "data"});
  EXPECT_EQ(problem(guest, "data,tensr"),
            "/order/1: \"tensr\" is not one of the axes (tensor, data)");
  EXPECT_EQ(problem(guest, "data,data"), "/order/1: data is given twice");
  EXPECT_EQ(problem(guest, "data"), "/order: tensor is missing: the order has all axes");
  EXPECT_EQ(
      problem(Guest::parse("ring:6"), "0").substr(0, 102),
      "/kind: axes does not fit the ring of 6 (it places a mesh or torus of several dimensions, "
      "not ring:6); ");
}

TEST(Axes, HaveAsManyOrdersAsThereAre) {
  const Guest guest = Guest::parse("torus:2x1x4").with_axes({"t", "one", "d"});
  EXPECT_EQ(orders_of_axes(guest),
            (std::vector<std::vector<std::string>>{{"d", "t", "one"}, {"t", "d", "one"}}));
  EXPECT_EQ(orders_of_axes(Guest::parse("mesh:2x2x2x2x2")).size(), 120U);
  for (const char* const few : {"cube:3", "tree:7", "ring:8", "torus:8x1", "mesh:2x2x2x2x2x2"}) {
    EXPECT_NE(complaint<InputError>([&] { orders_of_axes(Guest::parse(few)); }), "") << few;
  }
}

}  // namespace
}  // namespace dcube
