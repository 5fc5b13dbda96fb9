#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dcube/trace/critical_path.hpp"
#include "message_way.hpp"

namespace dcube {

/// Least times of a chain of causes, after each change, when messages queue nowhere.
class LeastTimes {
 public:
  explicit LeastTimes(const Machine& machine)
      : faster_links_{changed(machine, Change::faster_links)},
        costs_{machine},
        faster_costs_{faster_links_} {}

  /// Adds a computation, or other time of a process or of a message inside a node.
  void add_step(bool computes, Ticks time);
  void add_message(std::uint64_t bytes, std::span<const WayPart> way);

  /// Least time after the change; not for shorter_ways.
  Ticks after(Change change) const { return after_[static_cast<std::size_t>(change)]; }

 private:
  void add(Change change, Ticks time) { after_[static_cast<std::size_t>(change)] += time; }

  Machine faster_links_;
  WayCosts costs_;
  WayCosts faster_costs_;
  std::array<Ticks, change_kinds> after_{};
};

/// Fills in the advice of a path that is complete otherwise.
void advise(const ExplainedRun& run, const LeastTimes& least, CriticalPath& path);

}  // namespace dcube
