#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/trace/trace.hpp"

namespace dcube {

// Operations on a CSV trace file. A damaged file is an InputError, whose place is the file and,
// where it is known, the line.

/// Writes a trace in other formats. It takes the records that `filter` keeps. Memory is bounded.
void convert_trace(const std::filesystem::path& csv, const TraceFilter& filter,
                   std::span<const TraceTarget> targets, const TraceProgress& progress = {});

/// Figures of a trace. Only the part of a record inside the window counts. Sums are in seconds,
/// because the picoseconds of many processes exceed 63 bits.
struct TraceSummary {
  struct ActivityTime {
    std::uint64_t intervals = 0;
    double total_s = 0;
    Ticks longest{0};
  };
  struct ProcessTime {
    std::array<Ticks, activity_count> by_activity{};  ///< [Activity]
    Ticks longest_wait{0};
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  struct LinkUse {
    std::string name;
    std::uint32_t links = 1;  ///< between its ends; the figures are those of all
    std::uint64_t messages = 0;
    Ticks busy{0};
    std::uint64_t queued = 0;  ///< messages that had to wait for it
    double queued_s = 0;
    Ticks longest_queue{0};
  };
  struct Wait {
    ProcessId process;
    ProcessId peer;
    std::optional<MessageName> message;  ///< nothing: waited until the peer was ready
    std::uint32_t stage = no_stage;
    Ticks begin{0};
    Ticks end{0};
  };

  TraceDescription run;  ///< with both filters combined, and counts of kept records
  Ticks begin{0};
  Ticks end{0};
  std::array<ActivityTime, activity_count> time;  ///< [Activity]
  std::vector<ProcessTime> processes;             ///< [process]; zeros where it is not traced
  std::vector<LinkUse> links;       ///< most busy first, then most messages, then by node
  std::vector<Wait> longest_waits;  ///< at most ten, the longest first
  std::uint64_t bytes = 0;          ///< of all messages
  std::uint64_t queued_hops = 0;
  double queued_s = 0;
  Ticks longest_flight{0};  ///< of a message
};

TraceSummary summarise_trace(const std::filesystem::path& csv, const TraceFilter& filter);

}  // namespace dcube
