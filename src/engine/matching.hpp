#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "listening.hpp"
#include "process_set.hpp"
#include "queues.hpp"
#include "requests.hpp"
#include "run_state.hpp"

namespace dcube::detail {

/// Whom a process waits for, and for what: a message, a partner, a receiver. Nothing: one of
/// several requests.
struct Awaited {
  ProcessId process;  ///< `anyone` if it is not one process
  Awaits what;
};

/// Decides which receive gets which message, and when.
///
/// A receive from one process takes the earliest message of this process that nothing else has
/// taken; it is known at once. A receive from anyone takes the first arrival. So it, and all later
/// receives, get messages when all arrivals of the instant are known: in choose().
class Matching {
 public:
  Matching(RunState& run, Listening& listening);
  Matching(const Matching&) = delete;
  Matching& operator=(const Matching&) = delete;

  // Actions of processes; each throws a ContractViolation when the program must not do it. A bool
  // result tells whether the process need not be suspended.

  std::uint32_t send(ProcessId process, ProcessId to, Payload payload, Tag tag, SendMode mode);
  Request post_send(ProcessId process, ProcessId to, Payload payload, Tag tag, SendMode mode,
                    SendEnd end);
  bool receive(ProcessId process, ProcessId from, Tag tag);
  bool exchange_eagerly(ProcessId process, ProcessId partner, Payload& payload);
  /// Rendezvous. Returns whether `code` is suspended.
  bool exchange(ProcessId process, ProcessId partner, Payload& payload,
                std::coroutine_handle<> code);
  /// Payload of the message of receive() or exchange().
  Payload take_received(ProcessId process);
  Request post_receive(ProcessId process, ProcessId from, Tag tag);
  bool begin_wait(ProcessId process, Wait& wait);
  Received take_message(ProcessId process, Request request);
  void listen(ProcessId process, std::span<const std::byte> needed);

  /// These messages have arrived: no more than fit in the cache, with their receivers' state.
  void deliver(std::span<const MessageId> arrived);

  /// The process may have something to choose at this instant.
  void note_chooser(ProcessId process) { choosers_.insert(process); }
  bool has_choosers() const { return !choosers_.is_empty(); }
  /// Call when every process that can run at this instant has run until it waits.
  void choose();

  /// The message under way that each blocked process waits for alone; null: none. O(messages).
  std::vector<const Message*> awaited_under_way() const;
  /// Whom a blocked process waits for, and for what.
  Awaited awaited_by(const ProcessState& state) const;
  /// [node], or empty: beginnings and ends of messages that crossed no link.
  std::span<const std::uint64_t> local_ends() const { return local_ends_; }
  /// Contention-free runs: messages of exchanges, by process, partner and size.
  std::vector<Exchanged> exchanges() const;

 private:
  /// State of a process that receives from anyone.
  struct Anyone {
    struct Candidate {
      Ticks time;  ///< of availability: it has arrived, or its sender is ready
      ProcessId source;
      std::uint32_t send_number = 0;
      std::uint32_t message = 0;
      friend auto operator<=>(const Candidate&, const Candidate&) = default;
    };
    std::pmr::set<Candidate> candidates;  ///< first in the inbox of each source and tag
    std::vector<std::uint32_t> posts;     ///< receives from anyone without a message, in order
    Ticks alarm{-1};                      ///< the last alarm set
  };

  // Adapters of messages and requests for Queues.
  struct MessageItems {
    Messages* messages;
    std::uint32_t& next(std::uint32_t i) const { return (*messages)[MessageId{i}].partner; }
    ProcessId source(std::uint32_t i) const { return (*messages)[MessageId{i}].source; }
    Tag tag(std::uint32_t i) const { return (*messages)[MessageId{i}].tag; }
  };
  struct RequestItems {
    Requests* requests;
    std::uint32_t& next(std::uint32_t i) const { return (*requests)[i].next; }
    ProcessId source(std::uint32_t i) const { return (*requests)[i].peer; }
    Tag tag(std::uint32_t i) const { return (*requests)[i].tag; }
  };

  /// `partner` of a message that the process awaits without a request.
  static constexpr std::uint32_t awaited_alone = nothing - 1;

  Message& message(std::uint32_t id) { return run_.message(id); }

  ProcessState& asking(ProcessId process, const char* does, ProcessId peer);
  MessageId make_message(ProcessState& sender, ProcessId from, ProcessId to, Payload&& payload,
                         Tag tag, std::uint32_t partner);
  [[gnu::noinline]] void tell_send(Message& message);
  bool leaves_with_receiver(std::uint64_t bytes, SendMode mode);
  void dispatch(std::uint32_t id) {
    if (departs_plainly_) [[likely]] {
      run_.network.depart_from_own(MessageId{id});
    } else {
      dispatch_with_care(id);
    }
  }
  void dispatch_with_care(std::uint32_t id);
  void carry_without_contention(std::uint32_t id);
  void note_exchange(ProcessId process, ProcessId partner, std::uint64_t bytes) {
    if (run_.input.transport == Transport::contention_free) [[unlikely]] {
      ++exchanges_[{process, partner, bytes}];
    }
  }
  void deliver(MessageId id, Ticks now);
  void end_send(std::uint32_t id);
  void offer(std::uint32_t id);
  void offer_to_listener(std::uint32_t id, const ProcessState& receiver);
  void meet(std::uint32_t id, std::uint32_t post);
  void leave_with_receiver(std::uint32_t id, Ticks receiver_ready, Ticks asked);
  void tell_release(const Message& released, Ticks time, Ticks asked) const;
  bool receive_next(ProcessState& state, ProcessId process, ProcessId from, Tag tag);
  bool await_message(ProcessState& state, ProcessId process, std::uint32_t id);
  void count_local(const Message& message, std::uint64_t ends);
  bool start_exchange(ProcessId first, ProcessId second, Payload& second_payload,
                      std::coroutine_handle<> second_code);
  void receive_in_turn(ProcessState& state, ProcessId process, std::uint32_t id);

  const RequestState* awaited_request(const ProcessState& state) const;
  void expect_own(ProcessId process, Request request) const;
  static constexpr Ticks not_complete = Ticks::max();
  Ticks completion_of(const RequestState& request) const;
  bool go_on_waiting(ProcessState& state, ProcessId process);
  void look_at_waiter(ProcessId process);
  void complete(ProcessState& state, ProcessId process, std::uint32_t place);
  void complete_choice(ProcessState& state, ProcessId process, const Wait& wait);

  // Receives from anyone.
  bool waits_for_anyone(const ProcessState& state, ProcessId process) const {
    return state.receives_from_anyone && !anyone_of(process).posts.empty();
  }
  Anyone& anyone_of(ProcessId process) const { return *anyone_[process.index()]; }
  static std::optional<Ticks> available_at(const Message& message);
  void note_candidate(ProcessId process, ProcessId source, Tag tag);
  void forget_candidate(ProcessId process, const Message& taken, std::uint32_t id);
  void begin_receiving_from_anyone(ProcessState& state, ProcessId process);
  std::uint32_t take_for(ProcessState& state, ProcessId process, ProcessId from, Tag tag);
  bool may_go_to_anyone(ProcessId process, Tag tag, std::uint64_t order) const;
  bool give_from_one(ProcessState& state, ProcessId process, std::uint32_t id);
  std::uint32_t take_from_inbox(ProcessState& state, ProcessId process, ProcessId source, Tag tag);
  void note_given(const Message& given);
  bool may_be_joined(Ticks asked, Ticks available) const;
  void give_messages(ProcessId process, Ticks last);
  void wake_at(ProcessId process, Anyone& anyone, Ticks time);
  bool give_to_first(ProcessState& state, ProcessId process, Anyone& anyone, std::uint32_t id);
  void give_what_was_kept(ProcessState& state, ProcessId process);
  void choose_request(ProcessId process, Ticks last);

  RunState& run_;
  Listening& listening_;
  const NodeId* map_;         ///< [process]: its node
  bool tells_sends_;          ///< somebody asks for sends
  bool departs_plainly_;      ///< every message to another process enters dcube's own network
  std::uint64_t posted_ = 0;  ///< number of receives so far
  Requests requests_;
  Queues<MessageItems> inboxes_;
  Queues<RequestItems> posts_;
  std::pmr::unsynchronized_pool_resource candidate_memory_;
  /// [process], or empty while none receives from anyone. The candidates lie in candidate_memory_.
  std::vector<std::unique_ptr<Anyone>> anyone_;
  /// [message that has not left, or not arrived]: the request that is complete then.
  std::map<std::uint32_t, std::uint32_t> leaving_sends_;
  std::map<std::uint32_t, std::uint32_t> arriving_sends_;
  ProcessSet choosers_;  ///< may have something to choose now
  std::vector<ProcessId> choosing_;
  /// For observers: the cause that came last when a receive from anyone got its message.
  Release last_given_;
  std::vector<std::uint64_t> local_ends_;
  // Contention-free runs only:
  std::map<std::uint64_t, Ticks> contention_free_times_;  ///< [bytes]
  std::map<std::tuple<ProcessId, ProcessId, std::uint64_t>, std::uint64_t> exchanges_;
};

}  // namespace dcube::detail
