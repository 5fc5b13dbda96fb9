#include "dcube/topology/folded_grid.hpp"

#include <algorithm>
#include <numeric>

#include "dcube/core/errors.hpp"

namespace dcube {

FoldedGrid::FoldedGrid(const Topology& topology)
    : sides_{topology.shape().begin(), topology.shape().end()} {
  const Structure& structure = topology.structure();
  if (structure.folds.empty()) {
    return;
  }
  expects(std::accumulate(structure.folds.begin(), structure.folds.end(), 0U) == sides_.size() &&
              structure.lines.size() == sides_.size(),
          "every dimension of a folded grid is a factor of a side");
  const std::vector<std::uint32_t> factors = std::move(sides_);
  sides_.clear();
  std::uint32_t dimension = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t count : structure.folds) {
    const std::size_t first = digits_.size();
    std::size_t slowest = first + count - 1;
    sides_.push_back(1);
    for (std::uint32_t i = 0; i < count; ++i, ++dimension) {
      const std::uint32_t factor = factors[dimension];
      const bool is_closed = structure.lines[dimension] == Structure::Line::cycle || factor == 2;
      slowest = is_closed && factor % 2 == 0 ? digits_.size() : slowest;
      digits_.push_back({factor, stride, false});
      sides_.back() *= factor;
      stride *= factor;
    }
    const auto begin = digits_.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(slowest),
                begin + static_cast<std::ptrdiff_t>(slowest + 1), digits_.end());
    digits_.back().is_last = true;
  }
}

std::uint32_t FoldedGrid::folded_node_at(std::uint32_t place) const {
  std::uint32_t node = 0;
  std::size_t side = 0;
  std::uint32_t rest = place % sides_[0];  // of the coordinate on this side
  place /= sides_[0];
  for (const Digit& digit : digits_) {
    const std::uint32_t value = rest % digit.factor;
    rest /= digit.factor;
    node += (rest % 2 == 0 ? value : digit.factor - 1 - value) * digit.stride;
    if (digit.is_last && ++side < sides_.size()) {
      rest = place % sides_[side];
      place /= sides_[side];
    }
  }
  return node;
}

}  // namespace dcube
