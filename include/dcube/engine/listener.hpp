#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dcube/engine/observer.hpp"
#include "dcube/engine/process.hpp"

namespace dcube::detail {

/// An event that a listening process hears of: the arrival of a message, or that the receiver of
/// one of its own has taken it.
struct Heard {
  enum class What : std::uint8_t { arrival, taken };

  Ticks time{0};   ///< of the arrival, or when it was taken
  Ticks start{0};  ///< when the message set out; unused when it was taken
  ProcessId peer;  ///< the source; taken: the receiver
  std::uint32_t send_number = 0;
  Tag tag = 0;
  What what = What::arrival;
};

/// Interface of a listening process. Such a process asks for no message, but hears of every message
/// sent to it, and when others tell that they took its own. It is for programs that match messages
/// themselves, as schedules of operations do.
class Listener {
 public:
  explicit Listener(Process& process) : process_{process} {}

  class Hearing;

  /// Makes the process listen until it ends. `needed` is memory that it reads at every event.
  void listen(std::span<const std::byte> needed = {});
  /// `co_await` waits until the run has come to now(), and then for an event or the instant
  /// `until`; see Process::wait_any() for `meanwhile`. It gives all new events up to then, in order
  /// of (time, what, source, send number). Arrivals at that instant are among them; what was taken
  /// then may come with the next call. The result is valid until the process waits again.
  Hearing hear(Ticks until, Activity meanwhile = Activity::waiting) const;
  /// Tells the listening source of a message, which it names, that this process took it at `time`,
  /// not before the instant of its last hear(). The word crosses no link and takes no time.
  void tell_taken(const MessageName& message, Tag tag, Ticks time);
  /// Computes, or is busy at the endpoint, until an instant; no effect if it has passed.
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
