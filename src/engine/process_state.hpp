#pragma once

#include <coroutine>
#include <cstdint>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/network/message.hpp"
#include "queues.hpp"

namespace dcube::detail {

enum class State : std::uint8_t {
  done,     ///< its program has ended or was given up
  stopped,  ///< where it would have acted by the time: see RunState::stops_at_time()
  running,  ///< its program runs or can run
  // Blocked. The first three wait for `peer`, in a receive or an exchange.
  awaits_message,   ///< for a message that is under way
  awaits_send,      ///< for a message not yet sent, or that others may get
  awaits_partner,   ///< in a rendezvous, for the partner to be ready
  awaits_requests,  ///< for all of `wait`
  awaits_choice,    ///< for one of `wait`, or for the time at which it is tested
  awaits_core,
  awaits_hearing,  ///< for an event of a listener, or the deadline of `wait`
};

/// Bytes at the start of a coroutine's frame that are needed first.
inline constexpr std::size_t frame_head_bytes = 128;

/// State of a process that every message needs, in one cache line.
struct alignas(64) ProcessState {
  Ticks clock{0};
  std::coroutine_handle<> code;  ///< coroutine to resume
  Ticks compute{0};
  std::uint32_t send_count = 0;
  std::uint32_t receive_count = 0;
  ProcessId peer;
  Tag tag = 0;  ///< of the awaited message
  union {
    Wait* wait = nullptr;  ///< awaits_requests, awaits_choice, awaits_hearing
    Payload* offered;      ///< awaits_partner: the payload to send
  };
  Queue inbox;                            ///< messages that no receive has taken
  Queue posts;                            ///< receives from one process each without a message
  std::uint32_t message = Message::none;  ///< just received
  State state = State::running;
  bool receives_from_anyone = false;  ///< has ever posted such a receive
  bool listens = false;

  bool is_blocked() const { return state > State::running; }
};
static_assert(sizeof(ProcessState) == 64);

}  // namespace dcube::detail
