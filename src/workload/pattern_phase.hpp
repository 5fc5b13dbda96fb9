#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/engine/observer.hpp"
#include "expression.hpp"
#include "program/process_groups.hpp"

namespace dcube {

struct PatternMessage {
  ProcessId from;
  ProcessId to;
  std::uint32_t size = 0;  ///< index in the phase's sizes
};

/// One step of every process.
struct Phase {
  enum class Kind : std::uint8_t { compute, operations, messages, collective, repeat };

  Kind kind = Kind::compute;
  std::string name{};  ///< given name or empty; repeat: prefix of its phases' names
  std::string what{};  ///< default name
  /// Stage of the program; none inside the messages of another phase, or for a repeat.
  std::uint32_t stage = no_stage;
  Expression amount{};      ///< compute: time; operations: number; collective: bytes
  std::string operation{};  ///< an entry of the machine's compute table
  std::vector<PatternMessage> messages{};
  std::vector<Expression> sizes{};  ///< of messages, evaluated for the sender's rank
  /// [process]: messages that it sends, and that it receives.
  std::vector<std::vector<std::uint32_t>> sent{}, received{};
  CollectiveKind collective{};
  std::shared_ptr<const ProcessGroups> groups{};  ///< collective
  std::uint32_t root = 0;                         ///< rank in its group
  std::string algorithm{};
  std::uint32_t ports = 1;
  std::uint64_t times = 1;      ///< repeat
  std::vector<Phase> phases{};  ///< repeat: body; messages: phases while they travel
};

/// Assigns stages to phases, in order, under unique names; phases of one given name share one.
/// Returns the names of the stages.
std::vector<std::string> name_stages(std::vector<Phase>& phases);

}  // namespace dcube
