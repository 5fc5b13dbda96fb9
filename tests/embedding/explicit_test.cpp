#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

std::string problem_of(const std::string& map) {
  return placing::problem_of("kind=ring,nodes=8", "cube:2", "kind=explicit,map=" + map);
}

TEST(Explicit, PutsProcessesWhereTheMapSays) {
  EXPECT_EQ(placing::map_of("kind=ring,nodes=8", "cube:2", "kind=explicit,map=[7,0,3,5]"),
            (std::vector<std::uint32_t>{7, 0, 3, 5}));
}

TEST(Explicit, WrongCountNamesBothCounts) {
  EXPECT_EQ(problem_of("[0,1,2]"),
            "/map: 3 nodes for 4 processes (one node for each process of cube:2)");
  EXPECT_EQ(problem_of("[0,1,2,3,4]"),
            "/map: 5 nodes for 4 processes (one node for each process of cube:2)");
}

TEST(Explicit, NodeOutsideTheMachineIsNamedByItsPlace) {
  EXPECT_EQ(problem_of("[0,1,8,2]"), "/map/2: 8 is not a node (0 to 7)");
  EXPECT_EQ(problem_of("[0,1,-1,2]"), "/map/2: -1 is not a node (0 to 7)");
  EXPECT_EQ(problem_of("[0,1.5,3,2]"), "/map/1: 1.5 is not a node (0 to 7)");
}

TEST(Explicit, NodeTwiceIsNamedByItsPlace) {
  EXPECT_EQ(problem_of("[0,5,2,5]"),
            "/map/3: node 5 already hosts process 1 (a node hosts at most one)");
}

TEST(Explicit, MapIsRequired) {
  EXPECT_NE(placing::problem_of("kind=ring,nodes=8", "cube:2", "kind=explicit"), "no error");
}

TEST(Explicit, MoreProcessesThanNodesDoNotFit) {
  EXPECT_NE(placing::problem_of("kind=ring,nodes=3", "cube:2", "kind=explicit,map=[0,1,2,3]")
                .find("a machine of at least 4 nodes would fit"),
            std::string::npos);
}

}  // namespace
}  // namespace dcube
