#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dcube/trace/critical_path.hpp"
#include "message_way.hpp"

namespace dcube {

/// How long a chain of causes takes at least when messages queue nowhere, after a change or before.
class LeastTimes {
 public:
  explicit LeastTimes(const Machine& machine)
      : faster_links_{changed(machine, Change::faster_links)},
        costs_{machine},
        faster_costs_{faster_links_} {}

  /// A computation; or what a process or a message inside a node spends otherwise.
  void add_step(bool computes, Ticks time);
  void add_message(std::uint64_t bytes, std::span<const WayPart> way);

  /// Not for shorter_ways.
  Ticks after(Change change) const { return after_[static_cast<std::size_t>(change)]; }

 private:
  Machine faster_links_;
  WayCosts costs_;
  WayCosts faster_costs_;
  std::array<Ticks, change_kinds> after_{};
};

/// Fills in what could make the run shorter. The path has all else.
void advise(const ExplainedRun& run, const LeastTimes& least, CriticalPath& path);

}  // namespace dcube
