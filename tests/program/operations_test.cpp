#include "dcube/program/operations.hpp"

#include <gtest/gtest.h>

#include "support/complaint.hpp"

namespace dcube {
namespace {

Machine machine_with(std::map<std::string, ExactTime> compute) {
  Machine machine;
  machine.name = "m";
  machine.compute = std::move(compute);
  return machine;
}

TEST(OperationTime, IsTheEntryOfTheTable) {
  const Machine machine = machine_with({{"butterfly", ExactTime{7, 2}}, {"add", ExactTime{1, 1}}});
  EXPECT_EQ(operation_time(machine, "butterfly", {{"add", 10}}), (ExactTime{7, 2}));
}

TEST(OperationTime, IsOtherwiseTheSumOfItsParts) {
  const Machine machine = machine_with({{"multiply", ExactTime{3, 2}}, {"add", ExactTime{1, 1}}});
  EXPECT_EQ(operation_time(machine, "butterfly", {{"multiply", 4}, {"add", 6}}),
            (ExactTime{12, 1}));
}

TEST(OperationTime, IsZeroOnAMachineWithoutATable) {
  EXPECT_EQ(operation_time(machine_with({}), "compare"), ExactTime{});
}

TEST(OperationTime, AnEntryThatIsMissingIsNamedWithItsParts) {
  const Machine machine = machine_with({{"add", ExactTime{1, 1}}});
  EXPECT_EQ(
      complaint([&] { operation_time(machine, "compare"); }),
      "machine m does not say how long `compare` takes; add `compare` to its `compute` table");
  EXPECT_EQ(complaint([&] {
              operation_time(machine, "knapsack_step", {{"add", 1}, {"multiply", 1}});
            }),
            "machine m does not say how long `knapsack_step` takes; add `knapsack_step`, or `add` "
            "and `multiply`, to its "
            "`compute` table");
}

}  // namespace
}  // namespace dcube
