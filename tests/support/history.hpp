#pragma once

// What happened in a run, and how two simulators differ in it.

#include <compare>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dcube/engine/observer.hpp"
#include "dcube/engine/simulation.hpp"
#include "script.hpp"

namespace dcube::testing {

/// All events of a run, on which two simulators must agree, in a canonical order.
struct History {
  std::vector<Hop> hops;
  std::vector<Delivery> deliveries;
  std::vector<Interval> intervals;
  std::vector<Release> releases;
  std::vector<Ticks> ends;         ///< of each process; of a blocked one, the last instant
  std::vector<ProcessId> blocked;  ///< ascending
  std::vector<Observation> observations;
  std::optional<CutOff> cut_off;    ///< if any, the other events are those until then
  bool has_cores_of_ports = false;  ///< intervals of these may be in parts; plain simulator only

  void sort();
};

/// Observer that collects a History.
class HistoryRecorder final : public Observer {
 public:
  /// The history, once the run has ended.
  History finish(const RunReport& report);
  /// List for the observations of scripts.
  std::vector<Observation>* observations() { return &history_.observations; }

  void on_hop(const Hop& hop) override { history_.hops.push_back(hop); }
  void on_delivery(const Delivery& delivery) override { history_.deliveries.push_back(delivery); }
  void on_interval(const Interval& interval) override { history_.intervals.push_back(interval); }
  void on_release(const Release& release) override { history_.releases.push_back(release); }

 private:
  History history_;
};

/// Description of the first hop in which two lists differ; empty when they are equal.
std::string first_different_hop(const std::vector<Hop>& engine, const std::vector<Hop>& plain);

/// Empty when the two agree event for event.
std::string difference(const History& engine, const History& plain);

}  // namespace dcube::testing
