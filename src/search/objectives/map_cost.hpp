#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"
#include "distances.hpp"

namespace dcube {

/// A process and the node it moves to.
struct Relocation {
  ProcessId process;
  NodeId node;
};

/// A map that is being changed, and what it costs. The time of a change depends on the flows of the
/// processes that move, not on all flows.
///
///     assign(map);                  a new map
///     if (propose(changes) ..) keep(); else revert();
class MapCost {
 public:
  explicit MapCost(std::uint32_t process_count) : node_(process_count), before_(process_count) {}
  MapCost(const MapCost&) = delete;
  MapCost& operator=(const MapCost&) = delete;
  virtual ~MapCost() = default;

  void assign(std::span<const NodeId> map) {
    std::ranges::copy(map, node_.begin());
    before_ = node_;
    changed_.clear();
    compute();
  }

  /// Makes the changes, each process once; keep() or revert() must follow.
  void propose(std::span<const Relocation> changes) {
    changed_.clear();
    cost_before_ = cost_;
    energy_before_ = energy_;
    for (const Relocation& change : changes) {
      node_[change.process.index()] = change.node;
      changed_.push_back(change.process.index());
    }
    update();
  }

  void keep() {
    settle();
    for (const std::uint32_t process : changed_) {
      before_[process] = node_[process];
    }
  }

  void revert() {
    for (const std::uint32_t process : changed_) {
      node_[process] = before_[process];
    }
    undo();
    cost_ = cost_before_;
    energy_ = energy_before_;
  }

  std::span<const NodeId> map() const { return node_; }
  /// Cost by the objective.
  std::uint64_t cost() const { return cost_; }
  /// Value that annealing compares: the cost, or what also tells which of two maps of one cost is
  /// nearer to a better map, such as a mean where the cost is the greatest of many numbers.
  double energy() const { return energy_; }

 protected:
  /// Computes everything from scratch.
  virtual void compute() = 0;
  /// Follows the move of the processes `changed()` from before() to node_of().
  virtual void update() = 0;
  /// The changes stay.
  virtual void settle() {}
  /// Takes back what update() changed apart from cost_ and energy_: `changed()` are on before()
  /// again.
  virtual void undo() = 0;

  NodeId node_of(std::uint32_t process) const { return node_[process]; }
  NodeId before(std::uint32_t process) const { return before_[process]; }
  bool has_moved(std::uint32_t process) const { return node_[process] != before_[process]; }
  std::span<const std::uint32_t> changed() const { return changed_; }

  std::uint64_t cost_ = 0;
  double energy_ = 0;

 private:
  std::vector<NodeId> node_;
  std::vector<NodeId> before_;  ///< differs from node_ only for proposed changes
  std::vector<std::uint32_t> changed_;
  std::uint64_t cost_before_ = 0;
  double energy_before_ = 0;
};

/// For every objective but makespan, also for a sum. `problem` and `distances` must outlive it.
std::unique_ptr<MapCost> make_map_cost(const SearchProblem& problem, const Distances& distances);

}  // namespace dcube
