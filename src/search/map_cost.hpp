#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"
#include "distances.hpp"

namespace dcube {

/// A process and where it goes.
struct Relocation {
  ProcessId process;
  NodeId node;
};

/// A map that is being changed, and what it costs; a change costs what the flows of the processes
/// that move cost, not what all flows cost.
///
///     assign(map);                  a new map
///     if (propose(changes) ..) keep(); else revert();
class MapCost {
 public:
  explicit MapCost(std::uint32_t process_count) : node_(process_count), before_(process_count) {}
  MapCost(const MapCost&) = delete;
  MapCost& operator=(const MapCost&) = delete;
  virtual ~MapCost() = default;

  void assign(std::span<const NodeId> map);
  /// Makes the changes, each process once; keep() or revert() must follow.
  void propose(std::span<const Relocation> changes);
  void keep();
  void revert();

  std::span<const NodeId> map() const { return node_; }
  /// The objective.
  std::uint64_t cost() const { return cost_; }
  /// What annealing compares: the objective, and less than one step of it that tells apart how
  /// near two maps of one cost are to a better one.
  double energy() const { return energy_; }

 protected:
  /// From nothing.
  virtual void compute() = 0;
  /// After `changed()` have gone from before() to node_of().
  virtual void update() = 0;
  /// What update() changed, apart from cost_ and energy_: before() is where `changed()` are again.
  virtual void undo() = 0;

  NodeId node_of(std::uint32_t process) const { return node_[process]; }
  NodeId before(std::uint32_t process) const { return before_[process]; }
  bool has_moved(std::uint32_t process) const { return node_[process] != before_[process]; }
  std::span<const std::uint32_t> changed() const { return changed_; }

  std::uint64_t cost_ = 0;
  double energy_ = 0;

 private:
  std::vector<NodeId> node_;
  std::vector<NodeId> before_;  ///< differs from node_ for what has been proposed only
  std::vector<std::uint32_t> changed_;
  std::uint64_t cost_before_ = 0;
  double energy_before_ = 0;
};

/// For every objective but makespan. `problem` and `distances` must outlive it.
std::unique_ptr<MapCost> make_map_cost(const SearchProblem& problem, const Distances& distances);

}  // namespace dcube
