#pragma once

#include <compare>
#include <optional>
#include <tuple>
#include <vector>

#include "dcube/engine/observer.hpp"
#include "dcube/engine/simulation.hpp"
#include "script.hpp"

namespace dcube::testing {

/// Everything that happened in a run, in an order of its own: what two simulators must agree on.
struct History {
  std::vector<Hop> hops;
  std::vector<Delivery> deliveries;
  std::vector<Interval> intervals;
  std::vector<Release> releases;
  std::vector<Ticks> ends;         ///< of each process; the last instant for those that are blocked
  std::vector<ProcessId> blocked;  ///< ascending
  std::vector<Observation> observations;
  std::optional<CutOff> cut_off;  ///< then the rest is what happened until then

  void sort();
};

/// The contract's rules word for word, one instant at a time: link queues that are searched for the
/// first by (arrival, source, send number), receives and messages that are compared with each other
/// one by one, processes that wake at every step. Slow, and shares no code with the engine.
History simulate_plainly(const ScriptCase& scripted);

/// Collects a History from an engine that reports to it.
class HistoryRecorder final : public Observer {
 public:
  /// What happened, once the run has ended.
  History finish(const RunReport& report);
  /// Where scripts note what they learn.
  std::vector<Observation>* observations() { return &history_.observations; }

  void on_hop(const Hop& hop) override { history_.hops.push_back(hop); }
  void on_delivery(const Delivery& delivery) override { history_.deliveries.push_back(delivery); }
  void on_interval(const Interval& interval) override { history_.intervals.push_back(interval); }
  void on_release(const Release& release) override { history_.releases.push_back(release); }

 private:
  History history_;
};

}  // namespace dcube::testing
