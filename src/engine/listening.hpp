#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/engine/listener.hpp"
#include "run_state.hpp"

namespace dcube::detail {

/// Processes that hear of their messages instead of asking for them (see Listener). What they
/// hear waits in the order of coming, and the message itself is forgotten. They are answered when
/// everything has arrived that arrives at an instant.
class Listening {
 public:
  explicit Listening(RunState& run) : run_{run} {}

  /// The process listens from now on. `needed` is memory that it looks at whenever it hears.
  void begin(ProcessId process, std::span<const std::byte> needed);
  /// The process waits until it hears of something, or until the wait's deadline.
  void begin_hearing(ProcessId process, Wait& wait);
  /// What the process was given last.
  std::span<const Heard> given_to(ProcessId process) const;

  /// A listener's message has arrived; it is forgotten.
  void hear_arrival(std::uint32_t id);
  /// A message of a listener has left with its receiver.
  void hear_departure(const Message& left);

  /// Another process may run at the present instant.
  void forget_given() { given_.clear(); }
  void look_at(ProcessId process) { to_see_.push_back(process); }
  /// Answers those that have something to hear by now. False: there was nobody to look at.
  bool answer();

 private:
  struct Ear {
    std::vector<Heard> coming;  ///< a heap of what has not been given, the first of all in front
    std::uint32_t first_given = 0;  ///< in `given_`
    std::uint32_t given = 0;        ///< so many
    std::span<const std::byte> needed;
  };
  struct Next {
    Ticks due;
    const Heard* first;  ///< null: there is nothing to hear by then
  };

  Next next_of(ProcessId process) const;
  void see_at(Ticks time, const ProcessState& state, ProcessId process);
  void hear(ProcessId process, const Heard& heard);
  void answer(ProcessId process);
  void give(Ear& listener, Ticks now);

  RunState& run_;
  std::vector<Ear> listeners_;     ///< [process], or empty: none listens
  std::vector<Heard> given_;       ///< to listeners that run next
  std::vector<ProcessId> to_see_;  ///< at this instant
  std::vector<ProcessId> seen_;    ///< for answer()
};

}  // namespace dcube::detail
