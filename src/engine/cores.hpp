#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"

namespace dcube::detail {

/// The cores of nodes that have fewer of them than processes. A core serves a computation to its
/// end; the next is the one that was ready first, and of several the process with the lowest rank.
class Cores {
 public:
  Cores(const NodeModel& node, std::span<const NodeId> map);

  bool are_scarce() const { return !nodes_.empty(); }
  /// Whether a process on this node may have to wait.
  bool are_scarce(NodeId node) const { return nodes_.contains(node); }
  bool is_idle() const { return asked_.empty(); }

  /// The process is ready to compute at `ready`. serve() must be called at that instant.
  void ask(NodeId node, ProcessId process, Ticks ready, Ticks duration);
  /// Something changes on the node at this instant.
  void look_at(NodeId node) { asked_.insert(node); }
  /// Gives free cores to processes that are ready at `now`, when nothing else will become ready at
  /// this instant. `start` is called with each of them, its duration, and who had the core before
  /// (itself: nobody); `call_again` with the node and the instant at which somebody waits for a
  /// core to become free.
  void serve(Ticks now, const std::function<void(ProcessId, Ticks, ProcessId)>& start,
             const std::function<void(NodeId, Ticks)>& call_again);

 private:
  struct Ready {
    Ticks time;
    ProcessId process;
    Ticks duration;
    friend auto operator<=>(const Ready&, const Ready&) = default;
  };
  struct Core {
    Ticks free_at{0};
    ProcessId last;
    bool was_used = false;
    friend auto operator<=>(const Core&, const Core&) = default;
  };
  template <class T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;
  struct Node {
    Earliest<Ready> ready;
    Earliest<Core> cores;
  };

  std::map<NodeId, Node> nodes_;
  std::set<NodeId> asked_;  ///< to be looked at in the present instant
};

}  // namespace dcube::detail
