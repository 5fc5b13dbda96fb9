#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dcube/trace/causal_record.hpp"
#include "dcube/trace/critical_path.hpp"
#include "message_way.hpp"

namespace dcube {

/// Why a process was no further at some instant: an interval that ended just then, or, when no
/// interval ended with its arrival, a message that arrived just then.
///
/// Computing, endpoint costs and communication take the time of a process or of the network.
/// Waiting is no cause in itself, nor is communication with a message that arrived earlier. They
/// lead on to the cause of what was late, at the same instant.
///
/// A collective in the background has causes of its own: its steps follow the arrival of their
/// message, or the steps before them at their port, whatever the process did meanwhile.
struct Cause {
  ProcessId process;       ///< of an arrival the sender of its message
  std::uint32_t step = 0;  ///< index of the step, or number of the arrival
  bool is_arrival = false;
  bool is_background = false;  ///< the step counts for the collective, not for the process
};

/// Facts about a cause.
struct CauseFacts {
  Activity activity{};  ///< waiting leads on to another cause
  Awaits awaits = Awaits::nothing;
  std::uint32_t stage = no_stage;
  Ticks end{0};
  ProcessId peer;
  // Communication.
  std::uint32_t message = 0;  ///< number
  ProcessId destination;
};
CauseFacts facts_of(const CausalRecord& record, const Cause& cause);

/// The interval of the process that ends at `time`, which must be there unless the time is 0.
/// Nothing at time 0.
std::optional<Cause> cause_at(const CausalRecord& record, ProcessId process, Ticks time);
/// The cause at `time` that has this origin.
std::optional<Cause> cause_at(const CausalRecord& record, const Origin& origin, Ticks time);

/// The cause that this one had to wait for: before a message an act of its sender or its receiver,
/// before the end of waiting one of the partner, otherwise the process's own previous step. Nothing
/// at instant 0.
std::optional<Cause> cause_before(const CausalRecord& record, const Cause& cause);

/// Chains that run together, link by link from their beginnings. A second pointer that jumps
/// backwards finds a link of a chain in logarithmic time (skew-binary, Myers 1983).
class Chains {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = std::numeric_limits<Number>::max();

  /// Puts a link below `above`, which exists; none: the link begins a chain.
  void put(Number link, Number above);
  Number above(Number link) const { return links_[link].above; }
  /// First link of the chain that ends with `link` to fulfil the condition, which no link fulfils
  /// that is above one that does not.
  template <class Condition>
  Number first(Number link, Condition fulfils) const {
    const auto goes_on = [&](Number to) { return to != none && fulfils(to); };
    while (goes_on(links_[link].above)) {
      link = goes_on(links_[link].jump) ? links_[link].jump : links_[link].above;
    }
    return link;
  }

 private:
  struct Link {
    Number above = none;
    Number jump = none;
    std::uint32_t depth = 0;
  };

  std::vector<Link> links_;
};

/// Causes and what they had to wait for, back to instant 0. They are a tree, because chains with
/// different ends run together. Each cause begins when the one above it ends, so a chain fills the
/// time from 0 to its end, and its part after some instant is a path in the tree.
///
/// Many processes may wait for one chain, for example that of a host computer, and walking it for
/// each would take quadratic time. So every node holds sums over its chain.
class CauseTree {
 public:
  using Number = Chains::Number;
  static constexpr Number none = Chains::none;

  struct Node {
    Cause cause;
    Activity activity{};
    Ticks begin{0};
    Ticks end{0};
    // Sums over the chain that ends with this node.
    Ticks compute{0};
    Ticks endpoint{0};
    Ticks queueing{0};

    Ticks duration() const { return end - begin; }
    /// Part of the duration before `time`.
    Ticks before(Ticks time) const { return time > begin ? time - begin : Ticks{0}; }
  };

  /// The run must outlive the tree.
  explicit CauseTree(const ExplainedRun& run);

  /// The node of a cause. Adds it and all nodes above it unless they exist.
  Number add(const Cause& cause);
  /// Ends the adding and enables own_compute().
  void close();

  std::span<const Node> nodes() const { return nodes_; }
  const Node& operator[](Number number) const { return nodes_[number]; }
  /// The preceding node of the chain, which has a lower number.
  Number above(Number number) const { return chains_.above(number); }

  /// The node of the chain of `number` that is under way at `time`, or the one that begins then.
  /// `time` must be before the end of node `number`.
  Number under_way(Number number, Ticks time) const;
  /// How long the process of `number` itself computes on this chain after `time`, which must be
  /// before its end.
  Ticks own_compute(Number number, Ticks time) const;

  /// Time of a message after some instant on its way, apart from hops.
  struct Delays {
    Ticks queueing{0};
    Ticks endpoint{0};  ///< at injection servers
  };
  /// Needs a `node` that is communication, with these facts.
  Delays delays_after(const Node& node, const CauseFacts& facts, Ticks time) const;
  /// Calls `visit(link, arrival, start)` for each hop and injection that queued.
  template <class Visit>
  void for_each_queueing(const Node& node, const CauseFacts& facts, Visit visit) const {
    const AwaitedMessage& message = record_.message(facts.message);
    if (ways_.are_queues_recorded()) {
      for (const NotedHop& hop : record_.hops(message.name)) {
        visit(hop.link, hop.arrival, hop.start);
      }
      return;
    }
    for (const WayPart& part : ways_.of(message, facts.destination, node.end)) {
      if (part.arrival < part.start) {
        visit(part.shared_link(run_.machine), part.arrival, part.start);
      }
    }
  }

 private:
  Number& number_of(const Cause& cause) {
    const std::uint64_t step = first_step_[cause.process.index()] + cause.step;
    return cause.is_arrival      ? number_of_arrival_.try_emplace(cause.step, none).first->second
           : cause.is_background ? number_of_background_.try_emplace(step, none).first->second
                                 : number_of_[step];
  }
  Node make_node(const Cause& cause, Number above) const;

  const ExplainedRun& run_;
  const CausalRecord& record_;
  mutable MessageWays ways_;
  std::vector<std::uint64_t> first_step_;  ///< [process], among the steps of all
  std::vector<Number> number_of_;          ///< [step]
  std::map<std::uint32_t, Number> number_of_arrival_;
  std::map<std::uint64_t, Number> number_of_background_;
  std::vector<Node> nodes_;
  Chains chains_;
  Chains own_chains_;               ///< nodes of a chain that belong to one process
  std::vector<Ticks> own_compute_;  ///< [node]: sum over its own chain
};

}  // namespace dcube
