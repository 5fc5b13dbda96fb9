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

/// Cores of nodes that have fewer of them than processes. A core serves a computation to its end,
/// then the one that was ready first; of several, that of the lowest rank.
class Cores {
 public:
  Cores(const NodeModel& node, std::span<const NodeId> map);

  bool are_scarce() const { return !nodes_.empty(); }
  /// Whether a process on this node may have to wait for a core.
  bool are_scarce(NodeId node) const { return nodes_.contains(node); }
  bool is_idle() const { return asked_.empty(); }

  /// The process is ready to compute at `ready`. serve() must be called at that instant.
  void ask(NodeId node, ProcessId process, Ticks ready, Ticks duration);
  /// The node changes at this instant, so serve() looks at it.
  void look_at(NodeId node) { asked_.insert(node); }
  /// Gives free cores to processes that are ready at `now`, when no more become ready at this
  /// instant. `start` gets each process, its duration, and the core's previous user (itself: none).
  /// `call_again` gets the node and the instant at which a core becomes free for a waiting process.
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
  std::set<NodeId> asked_;  ///< to be looked at in this instant
};

}  // namespace dcube::detail
