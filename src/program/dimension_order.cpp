#include "dimension_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "core/refuse.hpp"
#include "dcube/topology/folded_grid.hpp"

namespace dcube {
namespace {

DimensionOrder ascending(std::uint32_t dimensions) {
  DimensionOrder order(dimensions);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

bool is_filled_by(const Topology& topology, std::uint32_t dimensions) {
  return topology.node_count() == std::uint64_t{1} << dimensions &&
         std::ranges::all_of(topology.shape(),
                             [](std::uint32_t side) { return std::has_single_bit(side); });
}

/// On an 8x8 torus: 0 3 1 4 2 5; nearest neighbours along both sides come first.
DimensionOrder interleaved(const Topology& topology) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;  // turn, dimension
  for (const FoldedGrid grid{topology}; const std::uint32_t side : grid.sides()) {
    for (std::uint32_t turn = 0; side >> turn > 1; ++turn) {
      turns.emplace_back(turn, static_cast<std::uint32_t>(turns.size()));
    }
  }
  std::ranges::sort(turns);
  DimensionOrder order;
  std::ranges::transform(turns, std::back_inserter(order),
                         [](const auto& turn) { return turn.second; });
  return order;
}

DimensionOrder read_list(const Params& params, std::uint32_t dimensions) {
  DimensionOrder order = params.non_negative_ints("order", "a cube dimension");
  DimensionOrder sorted = order;
  std::ranges::sort(sorted);
  refuse_if(sorted != ascending(dimensions), params.place_of("order"),
            "{} is not a permutation of the program's {} cube dimensions (each number below {} "
            "must appear once)",
            params.find("order")->describe(), dimensions, dimensions);
  return order;
}

}  // namespace

DimensionOrder read_dimension_order(const Params& params, const Topology& topology,
                                    std::uint32_t dimensions) {
  if (params.has("order") && params.find("order")->list() != nullptr) {
    return read_list(params, dimensions);
  }
  const std::array<std::string, 2> words{"as_defined", "interleaved"};
  if (params.choice("order", words, "as_defined") == "as_defined") {
    return ascending(dimensions);
  }
  refuse_if(!is_filled_by(topology, dimensions), params.place_of("order"),
            "interleaved has no meaning for {} processes on the {} (it needs sides that are powers "
            "of two and a process on every node); give the list of the dimensions",
            std::uint64_t{1} << dimensions, describe(topology));
  return interleaved(topology);
}

ParameterHelp dimension_order_help() {
  return {"order",
          "as_defined, interleaved (dimensions of the machine's sides in turn), or the list of the "
          "cube dimensions, the most used one first",
          "as_defined"};
}

std::uint32_t algorithm_label(const DimensionOrder& order, std::uint32_t rank) {
  std::uint32_t label = 0;
  for (std::size_t bit = 0; bit < order.size(); ++bit) {
    label |= (rank >> order[bit] & 1U) << bit;
  }
  return label;
}

}  // namespace dcube
