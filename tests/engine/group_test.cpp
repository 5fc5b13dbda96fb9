#include "dcube/engine/group.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

constexpr std::uint32_t processes = 12;

void run(const std::function<Task<>(Process&)>& body) {
  run_without_simgrid(unit_machine("kind=ring,nodes=12"), processes, body);
}

/// The complaint when process 5 makes a group.
std::string complaint_of(const std::function<void(const Group&)>& make) {
  return complaint<ContractViolation>([&] {
    run([&](Process& process) -> Task<> {
      if (process.rank() == ProcessId{5}) {
        make(process.world());
      }
      co_return;
    });
  });
}

std::vector<std::uint32_t> members(const Group& group) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    found.push_back(group.process(rank).index());
  }
  return found;
}

using Members = std::vector<std::uint32_t>;

TEST(Group, PartsHaveRanksOfTheirOwn) {
  run([](Process& process) -> Task<> {
    const Group world = process.world();
    EXPECT_EQ(world.size(), processes);
    EXPECT_EQ(world.rank(), process.rank().index());
    const std::uint32_t x = world.rank() % 4;
    const std::uint32_t y = world.rank() / 4;
    const Group column = world.slice(x, 3, 4);
    EXPECT_EQ(members(column), (Members{x, x + 4, x + 8}));
    EXPECT_EQ(column.rank(), y);
    const Group row = world.split([](std::uint32_t rank) { return rank / 4; });
    EXPECT_EQ(members(row), (Members{4 * y, 4 * y + 1, 4 * y + 2, 4 * y + 3}));
    EXPECT_EQ(row.rank(), x);
    const std::array sides{4U, 3U};
    EXPECT_EQ(members(world.along(std::array{1U}, sides)), members(column));
    EXPECT_EQ(members(world.along(std::array{0U}, sides)), members(row));
    EXPECT_EQ(members(world.along(std::array{1U, 0U}, sides)),
              (Members{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}))
        << "the first axis counts fastest";
    const std::array backwards{3U, 2U, 1U, 0U};
    const Group reversed = row.subgroup(backwards);
    EXPECT_EQ(members(reversed), (Members{4 * y + 3, 4 * y + 2, 4 * y + 1, 4 * y}));
    const Group odd_ends = reversed.slice(reversed.rank() % 2, 2, 2);
    EXPECT_EQ(members(odd_ends),
              x % 2 == 1 ? (Members{4 * y + 3, 4 * y + 1}) : (Members{4 * y + 2, 4 * y}))
        << "a slice of a list";
    const Group ends = column.slice(y % 2, y == 1 ? 1 : 2, 2);
    EXPECT_EQ(members(ends), y == 1 ? (Members{x + 4}) : (Members{x, x + 8}))
        << "a slice of a slice";
    co_return;
  });
}

/// A sum over the members, passed on around the group.
Task<> sum_around(Group group, std::uint32_t& sum) {
  using Numbers = std::vector<std::uint32_t>;
  const std::uint32_t next = (group.rank() + 1) % group.size();
  const std::uint32_t previous = (group.rank() + group.size() - 1) % group.size();
  sum = group.process().rank().index();
  std::uint32_t passed = sum;
  for (std::uint32_t step = 1; step < group.size(); ++step) {
    const Request coming = group.post_receive(previous, 7);
    group.send(next, Payload::of(Numbers{passed}), 7);
    Received received = co_await group.process().wait(coming);
    passed = received.payload.take<std::uint32_t>().front();
    sum += passed;
  }
}

TEST(Group, MembersTalkByRank) {
  std::array<std::uint32_t, processes> sums{};
  std::array<std::uint32_t, processes> partners{};
  run([&](Process& process) -> Task<> {
    const Group column = process.world().slice(process.rank().index() % 4, 3, 4);
    co_await sum_around(column, sums[process.rank().index()]);
    const Group pair = process.world().slice(process.rank().index() / 2 * 2, 2);
    const Payload got = co_await pair.exchange(1 - pair.rank(), Payload::of_size(3));
    partners[process.rank().index()] = static_cast<std::uint32_t>(got.size_bytes());
  });
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    EXPECT_EQ(sums[rank], 3 * (rank % 4) + 12);
    EXPECT_EQ(partners[rank], 3U);
  }
}

TEST(Group, WhatIsWrongIsNamed) {
  EXPECT_EQ(complaint_of([](const Group& world) { world.slice(0, 3); }),
            "process 5 slices a group without itself (rank 5)");
  EXPECT_EQ(complaint_of([](const Group& world) { world.slice(5, 8); }),
            "process 5 slices 8 ranks from 5 with stride 1 out of a group of 12");
  EXPECT_EQ(complaint_of([](const Group& world) { world.slice(5, 0); }),
            "process 5 slices 0 ranks from 5 with stride 1 out of a group of 12");
  EXPECT_EQ(complaint_of([](const Group& world) {
              world.subgroup(std::array{1U, 2U});
            }),
            "process 5 makes a group without itself (rank 5)");
  EXPECT_EQ(complaint_of([](const Group& world) {
              world.subgroup(std::array{5U, 2U, 5U});
            }),
            "process 5 makes a group that has a member twice");
  EXPECT_EQ(complaint_of([](const Group& world) {
              world.subgroup(std::array{5U, 12U});
            }),
            "process 5 makes a group of rank 12 of a group whose ranks are 0 to 11");
  EXPECT_EQ(complaint_of([](const Group& world) { world.slice(4, 2).process(2); }),
            "process 5 asks for rank 2 of a group whose ranks are 0 to 1");
  EXPECT_EQ(complaint_of(
                [](const Group& world) { Group{world.slice(4, 2)}.send(2, Payload::of_size(1)); }),
            "process 5 sends to rank 2 of a group whose ranks are 0 to 1");
}

}  // namespace
}  // namespace dcube::testing
