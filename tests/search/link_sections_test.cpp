// Least sections of traffic, against all subsets; what they say of the busiest link, against all
// maps.

#include "dcube/search/link_sections.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "dcube/core/errors.hpp"
#include "random_problem.hpp"
#include "search/bounds/semidefinite/least_section.hpp"
#include "support/draw.hpp"
#include "support/random_cases.hpp"

namespace dcube {
namespace {

/// Least weight between `part` processes and the others, by trying all subsets.
std::uint64_t least_of_all(const Partners& partners, std::uint32_t part) {
  std::uint64_t least = ~std::uint64_t{0};
  const std::uint32_t count = partners.process_count();
  for (std::uint32_t subset = 0; subset < 1U << count; ++subset) {
    if (std::popcount(subset) != static_cast<int>(part)) {
      continue;
    }
    std::uint64_t section = 0;
    for (std::uint32_t process = 0; process < count; ++process) {
      for (const Partner& partner : partners.of(process)) {
        const bool is_inside = (subset >> process & 1U) != 0;
        const bool is_other_inside = (subset >> partner.process.index() & 1U) != 0;
        section += is_inside && !is_other_inside ? partner.weight : 0;
      }
    }
    least = std::min(least, section);
  }
  return least;
}

std::uint64_t proved(const Partners& partners, std::uint32_t part, int rounds) {
  LeastSection section{partners, part};
  EXPECT_TRUE(section.begin({}));
  for (int round = 0; round < rounds; ++round) {
    EXPECT_TRUE(section.add_round({}));
  }
  return section.proved();
}

TEST(LeastSection, IsNoGreaterThanThatOfAnySubset) {
  const testing::RandomCases cases = testing::random_cases(60);
  int reached = 0;
  int tried = 0;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    testing::Draw draw{cases.first_seed + i};
    const std::uint32_t count = 3 + draw.below(9);
    const std::uint32_t shift = draw.one_in(3) ? draw.below(50) : 0;
    std::vector<Flow> flows;
    for (std::uint32_t n = draw.below(3 * count) + 2; n > 0; --n) {
      std::uint64_t bytes = std::uint64_t{1 + draw.below(9)} << shift;
      bytes += draw.below(2);
      flows.push_back({ProcessId{draw.below(count)}, ProcessId{draw.below(count)}, bytes, 1});
    }
    const Traffic traffic{count, std::move(flows)};
    const Partners partners{traffic, FlowWeight::bytes};
    for (std::uint32_t part = 1; part < count; ++part) {
      const std::uint64_t least = least_of_all(partners, part);
      const std::uint64_t bound = proved(partners, part, 6);
      ASSERT_LE(bound, least) << "seed " << cases.first_seed + i << ", part " << part;
      reached += bound == least ? 1 : 0;
      ++tried;
    }
  }
  EXPECT_GT(10 * reached, 6 * tried);
}

TEST(LeastSection, OfARingIsTwoLinks) {
  const Traffic traffic = Traffic::of(Guest::parse("ring:24"));
  const Partners partners{traffic, FlowWeight::bytes};
  for (const std::uint32_t part : {5U, 12U, 20U}) {
    EXPECT_EQ(proved(partners, part, 12), 4U) << part;  // both ways
  }
}

/// Triangles close what matrices alone leave open.
TEST(LeastSection, OfAGridIsAPlaneOfLinks) {
  const Traffic traffic = Traffic::of(Guest::parse("mesh:6x4"));
  const Partners partners{traffic, FlowWeight::bytes};
  LeastSection section{partners, 12};
  ASSERT_TRUE(section.begin({}));
  const std::uint64_t without = section.proved();
  EXPECT_EQ(proved(partners, 12, 12), 8U);
  EXPECT_LE(without, 8U);
}

TEST(LeastSection, KeepsWhatItHasWhenItIsEnded) {
  const Traffic traffic = Traffic::of(Guest::parse("mesh:4x4"));
  const Partners partners{traffic, FlowWeight::bytes};
  LeastSection section{partners, 8};
  ASSERT_TRUE(section.begin({}));
  const std::uint64_t before = section.proved();
  EXPECT_FALSE(section.add_round([] { return true; }));
  EXPECT_GE(section.proved(), before);
}

/// The least cost of all maps.
std::uint64_t least_cost(const SearchProblem& problem) {
  const Topology& topology = problem.topology;
  std::vector<NodeId> map;
  std::vector<std::uint32_t> taken(topology.node_count());
  std::uint64_t least = ~std::uint64_t{0};
  const auto place = [&](auto&& next) -> void {
    if (map.size() == problem.traffic.process_count()) {
      least = std::min(least, cost_of(problem, map));
      return;
    }
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      if (topology.is_usable(NodeId{node}) && taken[node] < problem.slots) {
        ++taken[node];
        map.push_back(NodeId{node});
        next(next);
        map.pop_back();
        --taken[node];
      }
    }
  };
  place(place);
  return least;
}

TEST(LinkSections, AreNotAboveTheCostOfAnyMap) {
  const testing::RandomCases cases = testing::random_cases(1'500);
  int found = 0;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    searching::RandomProblem random{cases.first_seed + i};
    SearchProblem problem = *random;
    if (!traits_of(problem.objective).needs_routes || problem.traffic.process_count() > 5 ||
        problem.topology.node_count() > 8) {
      continue;
    }
    problem.pins.clear();
    try {
      check_problem(problem);
    } catch (const InputError&) {
      continue;
    }
    const auto bounds = worked_link_bounds(problem, {.work = 1e8});
    if (bounds.empty()) {
      continue;
    }
    const std::uint64_t least = least_cost(problem);
    for (const CostBound& bound : bounds) {
      ASSERT_LE(bound.cost, least) << "seed " << cases.first_seed + i << ": "
                                   << random.description() << ": " << bound.source;
    }
    ++found;
  }
  EXPECT_GT(40 * found, static_cast<int>(cases.count));
}

/// The corner of a mesh has two links, and some process is there.
TEST(LinkSections, SeeTheCornersOfAMesh) {
  const auto mesh = searching::machine("kind=mesh,shape=4x4");
  const Traffic traffic = Traffic::of(Guest::parse("torus:4x4"));
  const auto bound =
      link_section_bound(searching::problem(*mesh, traffic, Objective::link_load), {});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->cost, 2U);  // four flows over two links each way
}

/// A link that takes twice as long carries half as much at best.
TEST(LinkSections, ShareTheBytesOutByTheRatesOfTheirLinks) {
  const auto mesh = searching::machine("kind=mesh,shape=2x4");
  const Traffic traffic = Traffic::of(Guest::parse("mesh:2x4"));
  const SearchProblem loads = searching::problem(*mesh, traffic, Objective::link_load);
  const auto load = link_section_bound(loads, {});
  ASSERT_TRUE(load);
  EXPECT_EQ(load->cost, 1U);  // two pairs across two links, both ways
  EXPECT_FALSE(link_section_bound(loads, {.above = 1}));
  SearchProblem times = searching::problem(*mesh, traffic, Objective::link_time);
  std::ranges::fill(times.rates.units, 1);
  times.rates.unit = ExactTime{1, 1};
  const auto time = link_section_bound(times, {});
  ASSERT_TRUE(time);
  EXPECT_EQ(time->cost, load->cost);
  // Between the halves one of two links is half as fast: 2 bytes each way over 1 + 1/2 links.
  for (std::uint32_t link = 0; link < mesh->link_slots(); ++link) {
    const auto ends = mesh->link(LinkId{link});
    const bool is_slow = ends && std::min(ends->from, ends->to) == NodeId{2} &&
                         std::max(ends->from, ends->to) == NodeId{4};
    times.rates.units[link] = is_slow ? 2 : 1;
  }
  EXPECT_EQ(link_section_bound(times, {})->cost, 2U);
}

/// The few processes of a corner come first, then halves.
TEST(LinkSections, MoreWorkProvesNoLess) {
  const auto mesh = searching::machine("kind=mesh,shape=8x8");
  const Traffic even = Traffic::of(Guest::parse("torus:16x4"));
  std::vector<Flow> flows;
  for (Flow flow : even.flows()) {
    const bool are_neighbours =
        flow.from.index() + 1 == flow.to.index() || flow.to.index() + 1 == flow.from.index();
    flow.bytes = are_neighbours ? 20 : 10;
    flows.push_back(flow);
  }
  const Traffic traffic{64, flows};
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::link_load);
  const double section = LeastSection::first_steps * LeastSection::work_of_a_step(64);
  std::uint64_t before = 0;
  for (const double more : {0.0, 1.0, 5.0}) {
    const auto bound = link_section_bound(problem, {.work = 2e7 + more * section});
    ASSERT_TRUE(bound);
    EXPECT_GE(bound->cost, std::max<std::uint64_t>(before, 25));
    before = bound->cost;
  }
}

}  // namespace
}  // namespace dcube
