#include "program/clocks.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube::testing {
namespace {

constexpr Ticks send{90};
constexpr Ticks receive{11};
constexpr Ticks hop{1700};

/// Three processes on a line of three nodes.
class ClocksTest : public ::testing::Test {
 protected:
  static Machine line() {
    Machine machine;
    machine.topology = make_topology(Params::parse("kind=line,nodes=3"));
    machine.links.per_dimension = {{ExactTime{hop}, ExactTime{}}};
    machine.endpoint = {.send = {ExactTime{send}, ExactTime{}},
                        .receive = {ExactTime{receive}, ExactTime{}}};
    return machine;
  }

  const ProcessId a{0};
  const ProcessId c{2};
  Machine machine = line();
  std::vector<NodeId> map{NodeId{0}, NodeId{1}, NodeId{2}};
  Clocks clocks{machine, map};
};

TEST_F(ClocksTest, AMessageCostsBothEndsAndEveryHop) {
  const Clocks::Message message = clocks.send(a, c, 8);
  EXPECT_EQ(message.arrival, send + 2 * hop);
  clocks.receive(message);
  EXPECT_EQ(clocks.now(a), send);
  EXPECT_EQ(clocks.now(c), send + 2 * hop + receive);
  EXPECT_EQ(clocks.makespan(), clocks.now(c));
}

TEST_F(ClocksTest, AMessageToOneselfIsFree) {
  clocks.compute(a, Ticks{5});
  const Clocks::Message message = clocks.send(a, a, 8);
  EXPECT_EQ(message.arrival, Ticks{5});
  clocks.compute(a, Ticks{2});
  clocks.receive(message);
  EXPECT_EQ(clocks.now(a), Ticks{7});
}

TEST_F(ClocksTest, ReceivingWaitsForNothingThatHasArrived) {
  const Clocks::Message message = clocks.send(a, c, 8);
  clocks.compute(c, 100 * hop);
  clocks.receive(message);
  EXPECT_EQ(clocks.now(c), 100 * hop + receive);
}

TEST_F(ClocksTest, ARendezvousStartsWhenBothAreReady) {
  for (const ExchangeMode mode : {ExchangeMode::rendezvous, ExchangeMode::eager}) {
    Clocks fresh{machine, map};
    fresh.compute(a, 10 * hop);
    fresh.exchange(a, c, 8, 16, mode);
    EXPECT_EQ(fresh.now(c), 10 * hop + send + 2 * hop + receive);
    const Ticks a_waits{mode == ExchangeMode::rendezvous ? 2 * hop : Ticks{0}};
    EXPECT_EQ(fresh.now(a), 10 * hop + send + a_waits + receive);
  }
}

TEST_F(ClocksTest, TreesMayNumberTheProcessesInAnotherOrder) {
  const std::vector<ProcessId> tree{c, a};
  clocks.collapse(tree, 8, Ticks{3});
  EXPECT_EQ(clocks.now(a), send);
  EXPECT_EQ(clocks.now(c), send + 2 * hop + receive + Ticks{3});
  clocks.broadcast(tree, 8);
  EXPECT_EQ(clocks.now(a), clocks.now(c) + 2 * hop + receive);
  EXPECT_EQ(clocks.now(ProcessId{1}), Ticks{0});
}

}  // namespace
}  // namespace dcube::testing
