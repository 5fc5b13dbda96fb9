#include "program/collectives.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// A line with hops of 1 s and a process on every node.
class Line {
 public:
  explicit Line(std::uint32_t nodes)
      : machine_{unit_machine("kind=line,nodes=" + std::to_string(nodes))} {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      map_.emplace_back(node);
    }
  }

  RunReport run(std::function<Task<>(Process&)> body) const {
    return run_without_simgrid({.machine = machine_, .map = map_, .body = std::move(body)});
  }

 private:
  Machine machine_;
  std::vector<NodeId> map_;
};

class AnyProcessCount : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AnyProcessCount, BroadcastGivesEveryoneTheValuesOfProcess0) {
  const std::uint32_t count = GetParam();
  std::vector<std::vector<int>> got(count);
  const RunReport report = Line{count}.run([&got](Process& process) -> Task<> {
    std::vector<int> own{static_cast<int>(process.rank().index()), 7};
    got[process.rank().index()] = co_await broadcast(process, std::move(own), 2);
  });
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(report.messages, count - 1);
  EXPECT_EQ(report.bytes, 4U * (count - 1));
  for (const std::vector<int>& values : got) {
    EXPECT_EQ(values, (std::vector<int>{0, 7}));
  }
}

TEST_P(AnyProcessCount, CollapseGivesProcess0TheSum) {
  const std::uint32_t count = GetParam();
  std::vector<std::vector<std::uint64_t>> got(count);
  const auto add = [](std::vector<std::uint64_t> a,
                      const std::vector<std::uint64_t>& b) -> Task<std::vector<std::uint64_t>> {
    a[0] += b[0];
    co_return a;
  };
  const RunReport report = Line{count}.run([&](Process& process) -> Task<> {
    std::vector<std::uint64_t> own(1, process.rank().index() + 1);
    got[process.rank().index()] = co_await collapse(process, std::move(own), add);
  });
  EXPECT_EQ(report.messages, count - 1);
  EXPECT_EQ(got[0], std::vector<std::uint64_t>{std::uint64_t{count} * (count + 1) / 2});
  for (std::uint32_t rank = 1; rank < count; ++rank) {
    EXPECT_TRUE(got[rank].empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, AnyProcessCount,
                         ::testing::Values(1U, 2U, 3U, 5U, 8U, 13U, 16U, 17U),
                         ::testing::PrintToStringParamName());

TEST(TreePlace, OnACubeParentAndChildDifferInOneBit) {
  EXPECT_EQ(TreePlace(0, 8).children(), (std::vector{ProcessId{1}, ProcessId{2}, ProcessId{4}}));
  EXPECT_EQ(TreePlace(1, 8).children(), (std::vector{ProcessId{3}, ProcessId{5}}));
  EXPECT_EQ(TreePlace(6, 8).parent(), ProcessId{2});
  EXPECT_TRUE(TreePlace(7, 8).children().empty());
}

}  // namespace
}  // namespace dcube::testing
