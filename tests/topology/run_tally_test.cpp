#include "dcube/topology/run_tally.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/random.hpp"

namespace dcube {
namespace {

std::size_t block_of(const Topology& topology, LinkId link) {
  const auto blocks = topology.link_directions();
  std::size_t block = 0;
  while (link.index() - blocks[block].first.index() >= blocks[block].count) {
    ++block;
  }
  return block;
}

/// Adds the runs of `routes` random routes that lie in blocks for which `counts` is true, and
/// returns what every link should carry.
template <class Counts>
std::vector<std::uint32_t> add_routes(const Topology& topology, RunTally<std::uint32_t>& tally,
                                      int routes, Counts counts) {
  std::vector<std::uint32_t> expected(topology.link_slots());
  SplitMix64 random{7};
  for (int route = 0; route < routes; ++route) {
    NodeId at{static_cast<std::uint32_t>(bounded(random.next(), topology.node_count()))};
    const NodeId to{static_cast<std::uint32_t>(bounded(random.next(), topology.node_count()))};
    const auto amount = static_cast<std::uint32_t>(1 + bounded(random.next(), 9));
    while (at != to) {
      const Run run = topology.next_run(at, to);
      const std::size_t block = block_of(topology, run.first);
      if (counts(topology.link_directions()[block])) {
        tally.add(block, run.first, run.hops, amount);
        for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
          expected[run.first.index() + hop * static_cast<std::uint32_t>(run.stride)] += amount;
        }
      }
      at = run.end;
    }
  }
  return expected;
}

TEST(RunTally, TotalsAreThoseOfWalkingEveryHop) {
  for (const std::string settings :
       {"kind=ring,nodes=8", "kind=line,nodes=5", "kind=mesh,shape=4x3x2", "kind=torus,shape=5x4",
        "kind=hypercube,dimensions=4"}) {
    SCOPED_TRACE(settings);
    const auto topology = make_topology(Params::parse(settings));
    const auto all = [](const LinkDirection&) { return true; };
    RunTally<std::uint32_t> tally{*topology};
    const std::vector<std::uint32_t> expected = add_routes(*topology, tally, 200, all);
    EXPECT_EQ(tally.totals(topology->link_slots()), expected);
    tally.sum_up();
    for (std::uint32_t link = 0; link < topology->link_slots(); ++link) {
      EXPECT_EQ(tally.total(block_of(*topology, LinkId{link}), LinkId{link}), expected[link])
          << link;
    }
  }
}

TEST(RunTally, CountsTheChosenBlocksOnly) {
  const auto topology = make_topology(Params::parse("kind=torus,shape=5x4"));
  const auto upward = [](const LinkDirection& direction) { return direction.stride > 0; };
  RunTally<std::uint32_t> tally{*topology, upward};
  const std::vector<std::uint32_t> expected = add_routes(*topology, tally, 200, upward);
  EXPECT_EQ(tally.totals(topology->link_slots()), expected);
}

}  // namespace
}  // namespace dcube
