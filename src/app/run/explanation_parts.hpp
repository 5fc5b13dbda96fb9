#pragma once

#include <fmt/format.h>

#include <string>

#include "dcube/core/time.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {

inline std::string time_text(Ticks time) { return readable_seconds(to_seconds(time)); }

/// Input of the sentences and tables of one explanation.
struct Writer {
  const Scenario& scenario;
  const RunReport& report;
  const CriticalPath& path;
  const WaitingCauses& waiting;
  Guest guest;

  double share(Ticks time) const { return to_seconds(time) / to_seconds(path.length); }
  std::string share_text(Ticks time) const { return percent(share(time)); }
  /// "4 s (15.4 %)".
  std::string time_and_share(Ticks time) const {
    return fmt::format("{} ({})", time_text(time), share_text(time));
  }
  std::string process(ProcessId id) const {
    return id.index() < guest.process_count() ? fmt::format("process {}", id.index())
                                              : std::string{"the host"};
  }
  std::string number(ProcessId id) const {
    return id.index() < guest.process_count() ? std::to_string(id.index()) : "host";
  }
};

// Parts of the explanation, each in the file of its name.

/// The critical path as a table, a line for what one process does up to and with a message that it
/// sends; of a long path the beginning and the end.
std::string chain_text(const Writer& writer);
/// Table of the collectives that processes started and waited for, with an empty line before it,
/// and a line for each that says to what its exposed time was lost. Empty where there are none.
std::string overlap_table(const Writer& writer, const Overlap& overlap);

}  // namespace dcube::app
