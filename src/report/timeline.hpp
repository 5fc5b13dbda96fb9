#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/scenario/drawing.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::report {

struct TimeWindow {
  Ticks begin{0};
  Ticks end{0};  ///< above `begin`
};

/// Limits of the intervals and hops that are kept. If there are more, the page gets sums only.
struct TimelineLimits {
  std::size_t intervals = 0;
  std::size_t hops = 0;
};

/// Times that rows (groups of processes, tiles of the machine) spend on each thing, by bin of time.
class BinnedTimes {
 public:
  BinnedTimes(std::size_t rows, std::size_t things, std::size_t bins, TimeWindow window);

  /// Adds the part of begin .. end that lies in the window.
  void add(std::size_t row, std::size_t thing, Ticks begin, Ticks end);
  Ticks bin_width() const { return Ticks{width_}; }
  /// Percent of the time of `members`, bin by bin, and in each bin thing by thing.
  std::vector<int> shares(std::size_t row, std::uint64_t members) const;

 private:
  std::size_t things_;
  std::size_t bins_;
  TimeWindow window_;
  std::int64_t width_;
  std::vector<double> sums_;
};

/// Collects the course of a run for a report, in bounded memory: every interval and hop as long as
/// they are few, and shares of time for groups of processes and tiles of the machine.
class Timeline final : public Observer {
 public:
  /// Considers `window` alone. The scenario and the drawing of its run machine must outlive this.
  Timeline(const Scenario& scenario, const Drawing& drawing, TimeWindow window,
           TimelineLimits limits);

  void on_interval(const Interval& interval) override;
  void on_hop(const Hop& hop) override;
  void on_delivery(const Delivery& delivery) override;

  /// JSON for the page (see page/timeline.js). Times are multiples of `unit_s`, the largest unit in
  /// which all of them are whole numbers.
  std::string json();

  bool has_intervals() const { return interval_count_ <= limits_.intervals; }
  bool has_hops() const { return hop_count_ <= limits_.hops; }

 private:
  bool is_seen(Ticks begin, Ticks end) const { return begin < window_.end && end > window_.begin; }
  std::int64_t common_unit() const;
  nlohmann::ordered_json intervals_json(std::int64_t unit) const;
  nlohmann::ordered_json hops_json(std::int64_t unit);
  nlohmann::ordered_json groups_json(std::int64_t unit) const;
  nlohmann::ordered_json tiles_json(std::int64_t unit) const;

  const Drawing& drawing_;
  Duplex duplex_;
  Tiles tiles_;
  TimeWindow window_;
  TimelineLimits limits_;
  std::vector<std::uint32_t> node_of_;  ///< [process], the host's included
  std::vector<std::uint32_t> links_in_tile_;
  std::vector<std::uint32_t> processes_in_tile_;
  std::uint32_t group_size_;
  std::vector<Interval> intervals_;
  std::vector<Hop> hops_;
  std::vector<Delivery> deliveries_;
  std::uint64_t interval_count_ = 0;
  std::uint64_t hop_count_ = 0;
  BinnedTimes group_times_;
  BinnedTimes tile_times_;
};

}  // namespace dcube::report
