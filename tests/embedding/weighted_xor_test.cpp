#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// Weight times total distance, summed over the cube dimensions.
std::uint64_t hop_bytes(const std::vector<Numbers>& dilations, const Numbers& weights) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += std::uint64_t{weights[i]} *
           std::accumulate(dilations[i].begin(), dilations[i].end(), std::uint64_t{0});
  }
  return sum;
}

TEST(WeightedXor, HeaviestDimensionsAreNearest) {
  EXPECT_EQ(placing::constant_distances("kind=torus,shape=16x16", "cube:8",
                                        "kind=weighted_xor,weights=doubling"),
            (Numbers{4, 4, 4, 4, 2, 2, 1, 1}));
  EXPECT_EQ(placing::constant_distances("kind=torus,shape=16x16", "cube:8",
                                        "kind=weighted_xor,weights=halving"),
            (Numbers{1, 1, 2, 2, 4, 4, 4, 4}));
  EXPECT_EQ(placing::constant_distances("kind=ring,nodes=16", "cube:4",
                                        "kind=weighted_xor,weights=[3,9,0,9]"),
            (Numbers{4, 1, 4, 2}));
}

TEST(WeightedXor, EqualWeightsAreTheXorEmbeddingInAnotherOrder) {
  Numbers distances = *placing::constant_distances("kind=torus,shape=8x8", "cube:6",
                                                   "kind=weighted_xor,weights=[5,5,5,5,5,5]");
  EXPECT_TRUE(std::ranges::is_sorted(distances));
  Numbers plain = *placing::constant_distances("kind=torus,shape=8x8", "cube:6", "kind=xor");
  std::ranges::sort(plain);
  EXPECT_EQ(distances, plain);
}

/// Every permutation of the cube dimensions before the xor embedding.
TEST(WeightedXor, NoOrderOfTheDimensionsHasFewerHopBytes) {
  for (const std::string machine :
       {"kind=ring,nodes=32", "kind=torus,shape=8x4", "kind=torus,shape=2x4x4",
        "kind=line,nodes=16", "kind=mesh,shape=4x8", "kind=hypercube,dimensions=4"}) {
    const auto bits =
        static_cast<std::uint32_t>(std::bit_width(placing::machine(machine)->node_count()) - 1);
    const std::string guest = fmt::format("cube:{}", bits);
    const std::vector<Numbers> plain = placing::dilations(machine, guest, "kind=xor");
    for (const Numbers& weights : {Numbers{1, 2, 4, 8, 16}, Numbers{7, 0, 7, 3, 1}}) {
      const Numbers used{weights.begin(), weights.begin() + bits};
      const std::string settings =
          fmt::format("kind=weighted_xor,weights=[{}]", fmt::join(used, ","));
      Numbers order(bits);
      std::iota(order.begin(), order.end(), 0U);
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      do {
        Numbers permuted(bits);
        for (std::uint32_t i = 0; i < bits; ++i) {
          permuted[order[i]] = used[i];
        }
        least = std::min(least, hop_bytes(plain, permuted));
      } while (std::ranges::next_permutation(order).found);
      EXPECT_EQ(hop_bytes(placing::dilations(machine, guest, settings), used), least)
          << machine << ' ' << settings;
    }
  }
}

TEST(WeightedXor, RefusesWeightsThatDoNotFitTheCube) {
  const auto ring = placing::machine("kind=ring,nodes=16");
  EXPECT_THROW(placing::embedding_on(*ring, "cube:4", "kind=weighted_xor,weights=[1,2,4]"),
               InputError);
  EXPECT_THROW(placing::embedding_on(*ring, "cube:4", "kind=weighted_xor,weights=tripling"),
               InputError);
}

}  // namespace
}  // namespace dcube
