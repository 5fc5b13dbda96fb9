#include "program/settings.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/complaint.hpp"

namespace dcube {
namespace {

Machine machine_of(const std::string& topology, std::uint32_t slots) {
  Machine machine;
  machine.topology = make_topology(Params::parse(topology));
  machine.node.slots = slots;
  return machine;
}
std::uint32_t count_of(const std::string& settings, const std::string& topology,
                       std::uint32_t slots = 1) {
  return read_process_count(Params::parse(settings), machine_of(topology, slots));
}
std::uint32_t dimensions_of(const std::string& settings, const std::string& topology,
                            std::uint32_t slots = 1) {
  return read_cube_dimensions(Params::parse(settings), machine_of(topology, slots));
}

TEST(ProcessCount, IsTheNodesUnlessSaid) {
  EXPECT_EQ(count_of("", "kind=ring,nodes=6"), 6U);
  EXPECT_EQ(count_of("processes=5", "kind=ring,nodes=6"), 5U);
  EXPECT_EQ(dimensions_of("", "kind=torus,shape=4x4"), 4U);
  EXPECT_EQ(dimensions_of("processes=8", "kind=torus,shape=3x5"), 3U);
  EXPECT_EQ(dimensions_of("processes=1", "kind=ring,nodes=6"), 0U);
}

TEST(ProcessCount, MoreThanNodesIsAnInputError) {
  EXPECT_EQ(complaint([] { count_of("processes=7", "kind=ring,nodes=6"); }),
            "/processes: 7 are too many (the ring of 6 has 6 nodes, and each hosts at most one)");
  EXPECT_EQ(complaint([] { count_of("processes=0", "kind=ring,nodes=6"); }),
            "/processes: 0 is not a process count (a positive integer)");
}

TEST(ProcessCount, IsAtMostThatOfTheSlots) {
  EXPECT_EQ(count_of("", "kind=ring,nodes=6", 4), 6U);
  EXPECT_EQ(count_of("processes=24", "kind=ring,nodes=6", 4), 24U);
  EXPECT_EQ(dimensions_of("processes=32", "kind=ring,nodes=8", 4), 5U);
  EXPECT_EQ(complaint([] { count_of("processes=25", "kind=ring,nodes=6", 4); }),
            "/processes: 25 are too many (the ring of 6 has 24 slots on 6 nodes)");
  EXPECT_EQ(complaint([] { dimensions_of("", "kind=torus,shape=3x5", 4); }),
            "/processes: is missing, and the 3x5 torus has 15 nodes (not a power of two); give the "
            "number of processes, at most 32");
}

TEST(ProcessCount, OfACubeIsAPowerOfTwo) {
  EXPECT_EQ(complaint([] { dimensions_of("processes=6", "kind=ring,nodes=8"); }),
            "/processes: 6 is not a power of two; the nearest are 4 and 8");
  EXPECT_EQ(complaint([] { dimensions_of("", "kind=torus,shape=3x5"); }),
            "/processes: is missing, and the 3x5 torus has 15 nodes (not a power of two); give the "
            "number of processes, at most 8");
}

}  // namespace
}  // namespace dcube
