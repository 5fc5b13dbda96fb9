#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "catalog.hpp"
#include "fold.hpp"
#include "obstacle.hpp"

// On a line the labels are in the order of their weight, the number of ones. Those of one weight
// descend, which reaches Harper's least longest dilation (ascending does not) [X II.C]:
//
//     node      0   1   2   3   4   5   6   7
//     process 000 100 010 001 110 101 011 111
//
// On a machine of several dimensions each coordinate has this order, by its own bits.

namespace dcube {
namespace {

/// Position of each label of `side` (a power of two) in the order by weight. O(side).
std::vector<std::uint32_t> ranks_by_weight(std::uint32_t side) {
  std::array<std::uint32_t, 33> next{};  // next[w + 1] counts weight w, then next[w] starts it
  for (std::uint32_t label = 0; label < side; ++label) {
    ++next[static_cast<std::size_t>(std::popcount(label)) + 1];
  }
  for (std::size_t weight = 1; weight < next.size(); ++weight) {
    next[weight] += next[weight - 1];
  }
  std::vector<std::uint32_t> ranks(side);
  for (std::uint32_t label = side; label-- > 0;) {
    ranks[label] = next[static_cast<std::size_t>(std::popcount(label))]++;
  }
  return ranks;
}

/// A coordinate of at least two bits; smaller ones are by weight as they are.
struct Coordinate {
  std::uint32_t shift;
  std::vector<std::uint32_t> ranks;
};

class NodeByWeight {
 public:
  explicit NodeByWeight(std::span<const std::uint32_t> shape) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : shape) {
      if (side > 2) {
        const auto shift = static_cast<std::uint32_t>(std::countr_zero(stride));
        coordinates_.push_back({shift, ranks_by_weight(side)});
      } else {
        kept_bits_ |= stride * (side - 1);
      }
      stride *= side;
    }
  }

  std::uint32_t operator()(std::uint32_t label) const {
    std::uint32_t node = label & kept_bits_;
    for (const auto& [shift, ranks] : coordinates_) {
      node |= ranks[(label >> shift) & (ranks.size() - 1)] << shift;
    }
    return node;
  }

 private:
  std::uint32_t kept_bits_ = 0;
  std::vector<Coordinate> coordinates_;
};

}  // namespace

const EmbeddingKind by_weight_kind{
    "by_weight",
    "each coordinate in the order of its number of ones: the least longest dilation on a line [X]",
    "kind=line,nodes=8 | cube:3 | ",
    {},
    no_cube_by_bits,
    [](const EmbeddingTask& task, const Params& params) {
      return make_folded_embedding("by_weight", task.guest,
                                   read_fold(task, params, EmptyNodes::refused),
                                   NodeByWeight{task.topology.shape()});
    },
    SlotUse::fold};

}  // namespace dcube
