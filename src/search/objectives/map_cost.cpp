#include "map_cost.hpp"

#include <algorithm>

#include "objective_kind.hpp"

namespace dcube {

void MapCost::assign(std::span<const NodeId> map) {
  std::ranges::copy(map, node_.begin());
  before_ = node_;
  changed_.clear();
  compute();
}

void MapCost::propose(std::span<const Relocation> changes) {
  changed_.clear();
  cost_before_ = cost_;
  energy_before_ = energy_;
  for (const Relocation& change : changes) {
    node_[change.process.index()] = change.node;
    changed_.push_back(change.process.index());
  }
  update();
}

void MapCost::keep() {
  settle();
  for (const std::uint32_t process : changed_) {
    before_[process] = node_[process];
  }
}

void MapCost::revert() {
  for (const std::uint32_t process : changed_) {
    node_[process] = before_[process];
  }
  undo();
  cost_ = cost_before_;
  energy_ = energy_before_;
}

std::unique_ptr<MapCost> make_map_cost(const SearchProblem& problem, const Distances& distances) {
  return kind_of(problem.objective).map_cost(problem, distances);
}

}  // namespace dcube
