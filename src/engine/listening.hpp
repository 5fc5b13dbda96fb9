#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/engine/listener.hpp"
#include "run_state.hpp"

namespace dcube::detail {

/// Processes that hear of their messages instead of asking for them (see Listener). Events wait in
/// order; messages are forgotten. Listeners get answers when an instant's arrivals are known.
class Listening {
 public:
  explicit Listening(RunState& run) : run_{run} {}

  /// Makes the process listen. `needed` is memory that it reads at every event.
  void begin(ProcessId process, std::span<const std::byte> needed);
  /// Makes the process wait for an event, or for the wait's deadline.
  void begin_hearing(ProcessId process, Wait& wait);
  /// Events given to the process last.
  std::span<const Heard> given_to(ProcessId process) const;

  /// A listener's message has arrived; it is forgotten.
  void hear_arrival(std::uint32_t id);
  /// The receiver has taken a message of a listener.
  void hear_taken(ProcessId receiver, const MessageName& message, Tag tag, Ticks time);

  /// Call when another process may run at this instant.
  void forget_given() { given_.clear(); }
  void look_at(ProcessId process);
  /// Answers listeners that have an event by now. False: there was none to look at.
  bool answer();

 private:
  struct Ear {
    std::vector<Heard> coming;      ///< a heap of events not given yet, the first in front
    std::uint32_t first_given = 0;  ///< index in `given_`
    std::uint32_t given = 0;        ///< number of events
    std::span<const std::byte> needed;
  };
  struct Next {
    Ticks due;
    const Heard* first;  ///< null: no event by then
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
