#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cause_chain.hpp"
#include "dcube/trace/causal_record.hpp"

namespace dcube {

/// Causes and what they had to wait for, back to instant 0. They are a tree, because chains with
/// different ends run together. Each cause begins when the one above it ends, so a chain fills the
/// time from 0 to its end, and its part after some instant is a path in the tree.
///
/// Many processes may wait for one chain, for example that of a host computer, and walking it for
/// each would take quadratic time. So every node holds sums over its chain and a second pointer
/// that jumps upwards (skew-binary, Myers 1983). It finds where a chain passes an instant in
/// logarithmic time.
class CauseTree {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = std::numeric_limits<Number>::max();

  struct Node {
    Cause cause;
    Activity activity{};
    Ticks begin{0};
    Ticks end{0};
    Number above = none;  ///< numbered before it
    // Over the chain that ends with this node.
    Ticks compute{0};
    Ticks endpoint{0};
    Ticks queueing{0};

    Ticks duration() const { return end - begin; }
    /// How much of it is before `time`.
    Ticks before(Ticks time) const { return time > begin ? time - begin : Ticks{0}; }
  };

  /// The record must outlive the tree.
  explicit CauseTree(const CausalRecord& record);

  /// The node of a cause. It and all nodes above it are added unless they are there.
  Number add(const Cause& cause);
  /// Ends the adding. After that own_compute() may be asked.
  void close();

  std::span<const Node> nodes() const { return nodes_; }
  const Node& operator[](Number number) const { return nodes_[number]; }

  /// The node of the chain of `number` that is under way at `time`, or the one that begins then.
  /// `time` must be before the end of node `number`.
  Number under_way(Number number, Ticks time) const;
  /// How long the process of `number` itself computes on this chain after `time`, which must be
  /// before its end.
  Ticks own_compute(Number number, Ticks time) const;

 private:
  struct Jump {
    Number to = none;
    std::uint32_t depth = 0;
  };
  /// Links the nodes of a chain that belong to one process.
  struct Own {
    Number above = none;
    Jump jump;
    Ticks compute{0};
  };

  Node make_node(const Cause& cause, Number above) const;

  const CausalRecord& record_;
  std::vector<std::uint64_t> first_step_;  ///< [process], among the steps of all
  std::vector<Number> number_of_;          ///< [step]
  std::vector<Node> nodes_;
  std::vector<Jump> jumps_;
  std::vector<Own> own_;
};

}  // namespace dcube
