#include "run_state.hpp"

#include <fmt/format.h>

#include "dcube/core/errors.hpp"

namespace dcube::detail {

void RunState::refuse(ProcessId process, std::string_view problem) const {
  throw ContractViolation(fmt::format("{} {}", name_of(process), problem));
}

void RunState::refuse_call(ProcessId process, const char* does, ProcessId peer) const {
  const std::string call = fmt::format("{} process {}", does, peer.index());
  if (peer.index() >= process_count()) {
    refuse(process, fmt::format("{}, but the ranks are 0 to {}", call, process_count() - 1));
  }
  refuse_now(process, call);
}

void RunState::refuse_now(ProcessId process, std::string_view call) const {
  if (process != current) {
    refuse(process, fmt::format("{} in code that process {} runs", call, current.index()));
  }
  const ProcessState& state = (*this)[process];
  refuse(process,
         state.state <= State::awaits_partner
             ? fmt::format("{} while it still waits for process {} (a process awaits one "
                           "message at a time)",
                           call, state.peer.index())
             : fmt::format("{} while it still waits (a process awaits one thing at a time)", call));
}

std::string RunState::name_of(ProcessId process) const {
  const std::uint32_t stage = ledger.stage(process);
  return stage == no_stage ? fmt::format("process {}", process.index())
                           : fmt::format("process {} in stage {}", process.index(), stage);
}

}  // namespace dcube::detail
