#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/embedding/linear_map.hpp"
#include "fold.hpp"
#include "obstacle.hpp"
#include "xor_map.hpp"

// XOR embedding with the cube dimensions dealt out by weight: the heaviest becomes the bit of the
// xor label along which partners are nearest, the next one the next bit, and so on.
//
// Dimensions that stay inside nodes have distance 0. No other order of the rest has fewer
// hop-bytes: these are 2^d times the sum over the dimensions of weight times mean distance, all
// orders have the same distances, and a sum of products is least when one factor falls as the other
// rises (Hardy, Littlewood & Polya, Inequalities, theorem 368).

namespace dcube {
namespace {

std::vector<std::uint32_t> read_weights(const Params& params, std::uint32_t dimensions) {
  const Setting* const setting = params.find("weights");
  if (setting != nullptr && setting->text() == nullptr) {
    auto weights = params.non_negative_ints("weights", "a weight (a whole number of 0 or more)");
    refuse_if(weights.size() != dimensions, params.place_of("weights"),
              "{} weights for {} cube dimensions; give one for each", weights.size(), dimensions);
    return weights;
  }
  const std::array<std::string, 2> rules{"doubling", "halving"};
  const bool doubles = params.choice("weights", rules, "doubling") == "doubling";
  return numbered(dimensions, [&](std::uint32_t i) {
    return std::uint32_t{1} << (doubles ? i : dimensions - 1 - i);
  });
}

/// Indices 0, 1, .., stably sorted by rank.
template <class Rank, class Order>
std::vector<std::uint32_t> sorted_indices(const std::vector<Rank>& ranks, Order order) {
  std::vector<std::uint32_t> indices = numbered(ranks.size());
  std::ranges::stable_sort(indices, order, [&](std::uint32_t index) { return ranks[index]; });
  return indices;
}

/// Sum of the distances between partners along each bit of the xor embedding's label, over the
/// labels of one machine dimension scaled to the whole machine.
std::vector<std::uint64_t> distances_by_bit(const Topology& topology, const XorMap& node_of) {
  std::vector<std::uint64_t> totals;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    const std::uint64_t lines = topology.node_count() / side;
    for (std::uint32_t bit = 1; bit < side; bit *= 2) {
      std::uint64_t total = 0;
      for (std::uint32_t position = 0; position < side; ++position) {
        total += topology.distance(NodeId{node_of(position * stride)},
                                   NodeId{node_of((position ^ bit) * stride)});
      }
      totals.push_back(lines * total);
    }
    stride *= side;
  }
  return totals;
}

}  // namespace

const EmbeddingKind weighted_xor_kind{
    "weighted_xor",
    "xor with the heaviest cube dimensions over the shortest distances: for exchanges of unequal "
    "size, as in recursive halving and doubling",
    "kind=torus,shape=4x8 | cube:5 | weights=[1,2,4,8,16]",
    {{"weights",
      "what each cube dimension carries: a list of whole numbers, \"doubling\" (1, 2, 4, ..) or "
      "\"halving\" (.., 4, 2, 1)",
      "doubling"}},
    no_cube_by_bits,
    [](const EmbeddingTask& task, const Params& params) {
      const Fold fold = read_fold(task, params, EmptyNodes::refused);
      const std::vector<std::uint32_t> given = read_weights(params, task.guest.dimension_count());
      const std::vector<std::uint32_t> weights =
          mapped(fold.outside(), [&](std::uint32_t dimension) { return given[dimension]; });
      const XorMap xor_map{task.topology.shape()};
      const auto heaviest_first = sorted_indices(weights, std::greater{});
      const auto nearest_first =
          sorted_indices(distances_by_bit(task.topology, xor_map), std::less{});
      LinearMap node_of;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        node_of.columns[heaviest_first[i]] = xor_map(std::uint32_t{1} << nearest_first[i]);
      }
      return make_folded_embedding("weighted_xor", task.guest, fold, node_of);
    },
    SlotUse::fold};

}  // namespace dcube
