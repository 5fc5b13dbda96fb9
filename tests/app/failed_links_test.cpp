#include "questions/compare/failed_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/compare/compared_numbers.hpp"
#include "app/compare/comparison_tables.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/routing.hpp"
#include "support/complaint.hpp"
#include "support/run_figures.hpp"

namespace dcube::app {
namespace {

using Ends = std::pair<std::uint32_t, std::uint32_t>;

std::shared_ptr<const Topology> network(const char* settings) {
  return make_topology(Params::parse(settings));
}

std::vector<Ends> ends(const std::vector<Link>& links) {
  std::vector<Ends> found;
  for (const Link& link : links) {
    found.emplace_back(link.from.index(), link.to.index());
  }
  return found;
}

TEST(FailedLinks, NumbersAreAscendingWithNoneFirst) {
  EXPECT_EQ(failure_numbers({"4", "1"}), (std::vector<std::uint32_t>{0, 1, 4}));
  EXPECT_EQ(failure_numbers({"0"}), (std::vector<std::uint32_t>{0}));
}

/// The same choices by another way: what was chosen is taken out of the list, and what stood first
/// among the rest takes its place.
TEST(FailedLinks, TheDrawIsTheOneThatIsDocumented) {
  const auto torus = network("kind=torus,shape=4x4");
  const FailureDraws draws{torus, "m"};
  std::vector<LinkId> in_use;
  for (std::uint32_t slot = 0; slot < torus->link_slots(); ++slot) {
    if (torus->link(LinkId{slot}) && torus->reverse(LinkId{slot}).index() > slot) {
      in_use.emplace_back(slot);
    }
  }
  ASSERT_EQ(in_use.size(), torus->link_count());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    constexpr std::uint32_t number = 3;  // which part no 4x4 torus
    std::vector<LinkId> rest = in_use;
    std::vector<LinkId> drawn;
    for (std::uint64_t i = 0; i < number; ++i) {
      const auto at = rest.begin() +
                      static_cast<std::ptrdiff_t>(bounded(hash_of(seed, number, i), rest.size()));
      drawn.push_back(*at);
      *at = rest.front();
      rest.erase(rest.begin());
    }
    std::ranges::sort(drawn);
    std::vector<Link> expected;
    for (const LinkId link : drawn) {
      expected.push_back(*torus->link(link));
    }
    EXPECT_EQ(ends(draws.links(number, seed)), ends(expected)) << "seed " << seed;
  }
}

TEST(FailedLinks, EveryLinkIsDrawnAboutAsOften) {
  const FailureDraws draws{network("kind=hypercube,dimensions=4"), "m"};
  std::map<Ends, int> counts;
  constexpr int seeds = 3200;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const Ends& link : ends(draws.links(2, seed))) {
      ++counts[link];
    }
  }
  ASSERT_EQ(counts.size(), 32U);
  for (const auto& [link, count] : counts) {
    EXPECT_NEAR(count, 200, 60) << link.first << "-" << link.second;
  }
}

TEST(FailedLinks, ADrawLeavesTheNetworkInOnePiece) {
  const auto mesh = network("kind=mesh,shape=3x3");
  const FailureDraws draws{mesh, "m"};
  std::set<std::vector<Ends>> different;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<Link> links = draws.links(4, seed);  // what is left is a tree
    Failures failures;
    for (const Link& link : links) {
      for (std::uint32_t slot = 0; slot < mesh->link_slots(); ++slot) {
        const std::optional<Link> other = mesh->link(LinkId{slot});
        if (other && other->from == link.from && other->to == link.to) {
          failures.links.emplace_back(slot);
        }
      }
    }
    ASSERT_EQ(failures.links.size(), 4U);
    EXPECT_TRUE(cut_off_nodes(*with_failures(mesh, failures)).empty()) << "seed " << seed;
    different.insert(ends(links));
  }
  EXPECT_GT(different.size(), 80U);  // of 192 trees
}

TEST(FailedLinks, WhatHasFailedIsNotDrawn) {
  const auto torus = network("kind=torus,shape=4x4");
  const LinkId broken{0};
  const FailureDraws draws{
      with_failures(torus, {.nodes = {NodeId{5}}, .links = {broken}, .spares = {}}), "m"};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const Ends& link : ends(draws.links(3, seed))) {
      EXPECT_NE(link, (Ends{torus->link(broken)->from.index(), torus->link(broken)->to.index()}));
      EXPECT_NE(link.first, 5U);
      EXPECT_NE(link.second, 5U);
    }
  }
}

TEST(FailedLinks, WhatCannotFailIsRefusedInOneLine) {
  const FailureDraws ring{network("kind=ring,nodes=8"), "r"};
  EXPECT_EQ(ring.links(1, 1).size(), 1U);
  EXPECT_EQ(complaint([&] { ring.links(2, 1); }),
            ".failures: 2 links cannot fail on r without disconnecting it (8 nodes, 8 links)");
  const FailureDraws torus{network("kind=torus,shape=8x8"), "t"};
  EXPECT_EQ(
      complaint([&] { torus.links(65, 7); }),
      ".failures: 65 failed links disconnect t in each of 1000 samples of seed 7 (fewer links may "
      "not)");
}

ComparisonRow drawn(const std::string& name, std::uint32_t failures, std::uint32_t seed,
                    std::optional<int> makespan_s) {
  ComparisonRow row{name,
                    makespan_s ? Outcome::completed : Outcome::unreachable,
                    {},
                    figures_with(makespan_s.value_or(1) * Ticks{std::chrono::seconds{1}})};
  row.failures = failures;
  row.seed = seed;
  return row;
}

TEST(FailedLinks, DegradationIsAboutTheRunsThatCompleted) {
  Comparison comparison{.scenario = "s.json",
                        .machine = "m",
                        .program = "cc_dcube",
                        .processes = 8,
                        .bound = {},
                        .rows = {drawn("a", 0, 0, 10), drawn("b", 0, 0, 8), drawn("a", 1, 1, 12),
                                 drawn("b", 1, 1, 9), drawn("a", 1, 2, 15),
                                 drawn("b", 1, 2, std::nullopt), drawn("c", 1, 1, std::nullopt)}};
  comparison.failures = {0, 1};
  comparison.seeds = 2;
  const std::vector<Degradation> found = degradations(comparison);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[1].embedding, "a");
  EXPECT_EQ(found[1].mean_s, 13.5);
  EXPECT_EQ(found[1].slowdown, 1.35);
  EXPECT_EQ(found[3].completed, 1U);
  EXPECT_EQ(found[3].mean_s, 9);
  EXPECT_FALSE(found[4].slowdown);
  const std::string text = comparison_table(comparison);
  EXPECT_NE(text.find(" 1 completed, 1 unreachable\n"), std::string::npos) << text;
  // More completed draws go first.
  EXPECT_TRUE(text.ends_with("\n\n0 failed links: b < a\n1 failed link: a < b\n")) << text;
}

TEST(FailedLinks, DegradationIsOfEachNetworkApart) {
  Comparison comparison{.scenario = "s.json",
                        .machine = "m",
                        .program = "cc_dcube",
                        .processes = 8,
                        .bound = {},
                        .rows = {drawn("a", 0, 0, 10), drawn("a", 1, 1, 12), drawn("a", 0, 0, 20),
                                 drawn("a", 1, 1, 30)}};
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    comparison.rows[row].network = row < 2 ? "near" : "far";
  }
  comparison.failures = {0, 1};
  comparison.seeds = 1;
  const std::vector<Degradation> found = degradations(comparison);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].network, "near");
  EXPECT_EQ(found[1].mean_s, 12);
  EXPECT_EQ(found[1].slowdown, 1.2);
  EXPECT_EQ(found[3].network, "far");
  EXPECT_EQ(found[3].mean_s, 30);
  EXPECT_EQ(found[3].slowdown, 1.5);
}

}  // namespace
}  // namespace dcube::app
