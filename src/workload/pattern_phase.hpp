#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/program/process_groups.hpp"
#include "expression.hpp"

namespace dcube {

/// A dimension of the guest.
struct GuestAxis {
  std::uint32_t stride = 1;  ///< of the ranks
  std::uint32_t side = 1;

  std::uint32_t coordinate(ProcessId process) const { return process.index() / stride % side; }
  /// The process `shift` (< side) steps further, around the axis.
  ProcessId shifted(ProcessId process, std::uint32_t shift) const {
    const std::uint32_t own = coordinate(process);
    const std::uint32_t to = own < side - shift ? own + shift : own - (side - shift);
    return ProcessId{process.index() - own * stride + to * stride};
  }
};

struct PatternMessage {
  ProcessId from;
  ProcessId to;
  std::uint32_t size = 0;  ///< index in the phase's sizes
};

/// Tag of messages of exchanges, lists and traffic files. Sends and receives have lower ones. A
/// multiple of 1 to 22, 32 and 64, so that messages take the interface that those of tag 0 take.
inline constexpr Tag tag_of_messages = 1'862'340'480;

/// One step of every process.
struct Phase {
  enum class Kind : std::uint8_t {
    compute,
    operations,
    messages,
    send,
    receive,
    collective,
    wait,
    repeat,
    along
  };

  Kind kind = Kind::compute;
  std::string name{};  ///< given name or empty; repeat, along: prefix of its phases' names
  std::string what{};  ///< default name
  /// Stage of the program; none inside the messages of another phase, or for repeat and along.
  std::uint32_t stage = no_stage;
  Expression amount{};  ///< compute: time; operations: number; collective, send: bytes
  ExactTime each{};     ///< operations: time of one
  std::vector<PatternMessage> messages{};
  std::vector<Expression> sizes{};  ///< of messages, evaluated for the sender's rank
  /// [process]: messages that it sends, and that it receives.
  std::vector<std::vector<std::uint32_t>> sent{}, received{};
  CollectiveKind collective{};
  std::shared_ptr<const ProcessGroups> groups{};  ///< collective
  std::uint32_t root = 0;                         ///< rank in its group
  std::string algorithm{};
  std::uint32_t ports = 1;
  /// Number of the collective that is started or waited for; nothing: it is not started apart.
  std::optional<std::uint32_t> started{};
  std::uint64_t times = 1;  ///< repeat
  /// repeat: body; messages: phases while they travel; along: a repeat for each coordinate.
  std::vector<Phase> phases{};
  GuestAxis axis{};         ///< send, receive, along
  std::uint32_t shift = 0;  ///< send, receive: steps along the axis to the partner
  Tag tag = 0;              ///< send, receive, messages

  /// Whether it stands for its `phases` alone, and has no stage of its own.
  bool is_list() const { return kind == Kind::repeat || kind == Kind::along; }
};

/// Evaluates the formulas of the phases as `processes` processes will, in each phase for the first
/// 2^14 ranks and iterations, and throws InputError where one cannot be. Collectives are left out:
/// their bytes have been checked.
void check_formulas(const std::vector<Phase>& phases, std::uint32_t processes);

/// Throws InputError at `place`, naming sender and receiver, when a process is sent more messages
/// than it receives.
void expect_as_many_receives(const std::vector<Phase>& phases, std::uint32_t processes,
                             const std::string& place);

/// Assigns stages to phases, in order, under unique names; phases of one given name share one.
/// Returns the names of the stages.
std::vector<std::string> name_stages(std::vector<Phase>& phases);

}  // namespace dcube
