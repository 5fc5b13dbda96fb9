#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "dcube/core/errors.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube::testing {

/// All of a schedule as text, a line an operation.
inline std::string text_of(const Schedule& schedule) {
  std::string text;
  for (std::size_t process = 0; process < schedule.processes.size(); ++process) {
    for (std::uint32_t i = 0; i < schedule.processes[process].size(); ++i) {
      const Operation& of = schedule.processes[process][i];
      text += fmt::format("{}: {} {} {} {} {} {} {}", process, static_cast<int>(of.kind), of.cpu,
                          of.interface, of.tag, of.peer.index(), of.request, of.amount);
      if (!schedule.graphs.empty()) {
        for (const OperationGraph::Follower& follower : schedule.graphs[process].followers(i)) {
          text +=
              fmt::format(" {}{}", follower.is_started() ? "started " : "", follower.operation());
        }
      }
      text += '\n';
    }
  }
  return text;
}

/// Result of read(): the schedule as text, or the complaint.
template <class Read>
std::string outcome_of(Read&& read) {
  try {
    return text_of(read());
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace dcube::testing
