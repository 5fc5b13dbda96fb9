#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dcube/engine/process.hpp"

namespace dcube::detail {

/// What a process that listens hears of: a message that has arrived, or one of its own that has
/// left with its receiver.
struct Heard {
  enum class What : std::uint8_t { arrival, departure };

  Ticks time{0};   ///< of the arrival or departure
  Ticks start{0};  ///< of the message's way
  std::uint64_t bytes = 0;
  ProcessId peer;  ///< the source; of a departure the destination
  std::uint32_t send_number = 0;
  Tag tag = 0;
  What what = What::arrival;
};

/// A process that listens asks for no message any more, but hears of all that it is sent, and when
/// those of its own leave that wait for their receivers. It is for programs that find out by
/// themselves which message is whose, as schedules of operations do. Messages with reserved tags
/// are not heard of when they arrive, and leave when let_leave() says so.
class Listener {
 public:
  explicit Listener(Process& process) : process_{process} {}

  class Hearing;

  /// The process listens from here on, for the rest of the run. `needed` is memory that it looks at
  /// whenever it hears of something: it starts to be loaded a little earlier.
  void listen(std::span<const std::byte> needed = {});
  /// `co_await` waits until the run has come to now(), and from there until there is something to
  /// hear or the instant `until` has come; meanwhile as in Process::wait_any(). It gives all that
  /// has happened by then and has not been given, in order of (time, what, source, send number).
  /// All messages that arrive by then are among it; what leaves at that very instant may be heard
  /// of the next time. The result is valid until the process waits again.
  Hearing hear(Ticks until, Activity meanwhile = Activity::waiting) const;
  /// Lets a message leave for this process that was sent with SendMode::rendezvous and this
  /// reserved tag, and forgets it when it is there. `time` is when the process would have asked for
  /// it: not before the instant of its last hear().
  void let_leave(ProcessId source, Tag tag, Ticks time);
  /// Goes on at the instant `until`, or at once if that has passed. Meanwhile the process computes,
  /// or is busy at its endpoint.
  void pass(Ticks until, Activity meanwhile);

 private:
  Process& process_;
};

class [[nodiscard]] Listener::Hearing : public Process::Awaitable {
 public:
  bool await_ready();
  std::span<const Heard> await_resume() const;

 private:
  friend class Listener;
  Hearing(Kernel& kernel, ProcessId process, Ticks until, Activity meanwhile)
      : Awaitable{kernel, process} {
    wait_.deadline = until;
    wait_.meanwhile = meanwhile;
  }
  Wait wait_;
};

}  // namespace dcube::detail
