#include "dcube/topology/hop_weights.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

/// The definition: the weights of the links on the route, added up link by link.
std::uint64_t plain_length(const Topology& topology, const std::vector<std::uint32_t>& weights,
                           NodeId from, NodeId to) {
  std::uint64_t sum = 0;
  for_each_link(topology, from, to,
                [&](LinkId link) { sum += weights[topology.link(link).value().dimension]; });
  return sum;
}

const std::vector<std::string>& weighed_networks() {
  static const std::vector<std::string> settings{
      "fat_tree,down=[4,3],up=[1,2]",
      "fat_tree,down=[2,3,2],up=[1,2,2],parallel=[1,2,1]",
      "fat_tree,down=[2,2,2,2],up=[1,2,1,2]",
      "fat_tree,k=4",
      "dragonfly,p=1,a=4,h=1",
      "dragonfly,p=2,a=4,h=1,g=3,arrangement=circulant",
      "dragonfly,p=1,a=6,h=1,local=[2,3],arrangement=relative",
      "dragonfly_plus,p=2,leaves=2,spines=2,h=1",
      "hyperx,shape=[3,2,2],p=2",
      "hyperx,shape=[4,3],width=[1,2]",
      "slim_fly,q=5",
      "polarfly,q=3,p=2",
      "jellyfish,routers=10,degree=3,p=2",
      "blocks,blocks=[switch:4,ring:3]",
      "blocks,blocks=[full:3,line:2,fat_tree:2x2/1x2]",
      "torus,shape=5x4",
      "mesh,shape=3x2x3",
      "ring,nodes=7",
      "hypercube,dimensions=4",
      "twisted_torus,shape=4x2"};
  return settings;
}

struct WeightedNetwork {
  std::shared_ptr<const Topology> topology;
  std::vector<std::uint32_t> weights;
};

/// The network whole, or with one of its routings, and perhaps failures and spares.
WeightedNetwork random_weighted(const std::string& settings, SplitMix64& random, bool is_whole) {
  std::shared_ptr<const Topology> topology = make_topology(Params::parse("kind=" + settings));
  std::vector<std::uint32_t> weights;
  for (std::uint32_t i = 0; i < topology->class_count(); ++i) {
    weights.push_back(1 + static_cast<std::uint32_t>(bounded(random.next(), i % 2 == 0 ? 4 : 90)));
  }
  weights.back() = 7;
  topology = with_hop_weights(std::move(topology), weights);
  if (is_whole) {
    return {std::move(topology), std::move(weights)};
  }
  switch (bounded(random.next(), 3)) {
    case 0:
      topology = with_routing(std::move(topology), Params::parse("kind=shortest"));
      break;
    case 1:
      topology = with_routing(std::move(topology), Params::parse("kind=ecmp,seed=3"));
      break;
    default:
      break;
  }
  if (bounded(random.next(), 3) == 0) {
    Failures failures;
    failures.spares.emplace_back(1);
    if (bounded(random.next(), 2) == 0) {
      failures.links.emplace_back(topology->link_slots() - 1);
    }
    topology = with_failures(std::move(topology), failures);
  }
  return {std::move(topology), std::move(weights)};
}

TEST(HopWeights, LengthsAreThoseOfTheLinksOnTheRoute) {
  SplitMix64 random{11};
  for (const std::string& settings : weighed_networks()) {
    std::uint64_t known = 0;
    for (int i = 0; i < 8; ++i) {
      const auto [topology, weights] = random_weighted(settings, random, i == 0);
      const HopLengths lengths{*topology};
      EXPECT_TRUE(lengths.are_weighted());
      known += lengths.are_symmetric() ? 1 : 0;
      for (std::uint32_t from = 0; from < topology->terminal_count(); ++from) {
        for (std::uint32_t to = 0; to < topology->terminal_count(); ++to) {
          const NodeId a{from};
          const NodeId b{to};
          if (!topology->reaches(a, b)) {
            continue;
          }
          ASSERT_EQ(lengths(a, b), plain_length(*topology, weights, a, b))
              << settings << ", " << topology->routing() << ": " << from << " to " << to;
          if (lengths.are_symmetric()) {
            ASSERT_EQ(lengths(a, b), lengths(b, a)) << settings;
          }
        }
      }
    }
    const bool is_walked = settings.starts_with("slim_fly") || settings.starts_with("twisted");
    EXPECT_EQ(known == 0, is_walked) << settings;
  }
}

TEST(HopWeights, AreKeptByRoutesAndFailures) {
  std::shared_ptr<const Topology> tree =
      make_topology(Params::parse("kind=fat_tree,down=[2,3],up=[1,2]"));
  EXPECT_TRUE(hop_weights_of(*tree).empty());
  EXPECT_EQ(with_hop_weights(tree, {1, 1}), tree);
  EXPECT_EQ(HopLengths{*tree}(NodeId{0}, NodeId{5}), 4U);
  const auto weighted = with_hop_weights(tree, {1, 10});
  const auto routed = with_routing(weighted, Params::parse("kind=ecmp"));
  Failures failures;
  failures.spares.emplace_back(2);
  const auto left = with_failures(routed, failures);
  for (const auto& network : {weighted, routed, left}) {
    const auto weights = hop_weights_of(*network);
    EXPECT_EQ(std::vector<std::uint32_t>(weights.begin(), weights.end()),
              (std::vector<std::uint32_t>{1, 10}));
    const HopLengths lengths{*network};
    EXPECT_EQ(lengths(NodeId{0}, NodeId{0}), 0U);
    EXPECT_EQ(lengths(NodeId{0}, NodeId{1}), 2U);
    EXPECT_EQ(lengths(NodeId{0}, NodeId{5}), 22U);
    EXPECT_EQ(network->distance(NodeId{0}, NodeId{5}), 4U);
    EXPECT_EQ(lengths.least_weight(), 1U);
    EXPECT_EQ(lengths.greatest_weight(), 10U);
  }
}

/// A table of these would take 8 GB.
TEST(HopWeights, NeedNoTableOfLargeFabrics) {
  const auto tree = with_hop_weights(
      make_topology(Params::parse("kind=fat_tree,down=[32,32,64],up=[1,16,16]")), {1, 9, 90});
  ASSERT_EQ(tree->terminal_count(), 65'536U);
  const HopLengths lengths{*tree};
  EXPECT_TRUE(lengths.are_symmetric());
  std::uint64_t sum = 0;
  for (std::uint32_t to = 0; to < tree->terminal_count(); ++to) {
    sum += lengths(NodeId{5}, NodeId{to});
  }
  EXPECT_EQ(sum, 31U * 2 + (1024U - 32) * 20 + (65'536U - 1024) * 200);
}

}  // namespace
}  // namespace dcube
