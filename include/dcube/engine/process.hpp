#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/payload.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/activity.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

struct EndpointModel;

namespace detail {
class Kernel;
class Listener;
class PortClocks;
class Requests;
}  // namespace detail

/// Start of an exchange's transfers: when both partners are ready, or of each when its sender is.
enum class ExchangeMode { rendezvous, eager };

/// When a message leaves. `eager`: at once. `rendezvous`: when its receiver has asked for it.
/// `by_size`: eager up to the machine's eager limit, else rendezvous.
enum class SendMode { by_size, eager, rendezvous };

/// When a posted send is complete: when its message has left, or when it has arrived.
enum class SendEnd { left, arrived };

/// Separates messages of two processes; below most_tags. Those of one tag keep their order.
using Tag = std::uint32_t;
inline constexpr Tag most_tags = ~Tag{0};
/// Tags from here on are for collectives and other message libraries.
inline constexpr Tag first_reserved_tag = Tag{1} << 31;
/// Receives messages of every tag that is not reserved.
inline constexpr Tag any_tag = most_tags;
/// Receives messages of every process.
inline constexpr ProcessId anyone{~std::uint32_t{0}};

class Group;

/// A message as its receiver gets it.
struct Received {
  ProcessId source;
  Tag tag = 0;
  Payload payload;
  Ticks arrival{0};               ///< possibly before it was taken
  std::uint32_t send_number = 0;  ///< counts the messages of the source
};

/// Handle of a posted receive or send, valid until it was waited for.
class Request {
 public:
  Request() = default;

 private:
  friend class detail::Requests;
  Request(std::uint32_t place, std::uint32_t generation) : place_{place}, generation_{generation} {}

  std::uint32_t place_ = ~std::uint32_t{0};
  std::uint32_t generation_ = 0;
};

/// The request that completed first of several.
struct Completed {
  std::size_t index = 0;  ///< its position among them; `requests.size()` on timeout
  Received message;       ///< empty after a send
};

namespace detail {

/// State of a wait; lives in the frame of the code that waits.
struct Wait {
  enum class Until : std::uint8_t { all, any, tested };

  std::span<const Request> requests;
  Until until = Until::all;
  bool is_complete = false;       ///< tested: the result
  Ticks alarm{-1};                ///< any, tested: the last alarm set
  std::size_t position = 0;       ///< all: the first incomplete request; any: the complete one
  Ticks deadline = Ticks::max();  ///< any: the timeout
  Activity meanwhile = Activity::waiting;  ///< any: activity until then
  bool is_of_ports = false;                ///< any: see PortClocks
  /// any: [request] stage to which the cost of receiving belongs; null: that of the process.
  const std::uint32_t* stages = nullptr;
};

/// Returns whether the process need not be suspended.
bool begin_wait(Kernel& kernel, ProcessId process, Wait& wait);
/// Takes the message of a complete request and forgets the request.
Received take_message(Kernel& kernel, ProcessId process, Request request);

}  // namespace detail

/// One process of a running program: the interface for its code. Every process has a clock of its
/// own. Computing and endpoint costs advance it; waiting carries it to the awaited instant.
///
/// Awaitable results act when they are awaited, once, by code of the same process. A process awaits
/// one thing at a time. Any other use is a ContractViolation that names process, stage and call; so
/// is a rank or a request that is not the process's.
class Process {
 public:
  Process(detail::Kernel& kernel, ProcessId rank) : kernel_{&kernel}, rank_{rank} {}

  class Awaitable;
  class Computation;
  class Receive;
  class ReceiveAny;
  template <class Requests, detail::Wait::Until until>
  class WaitFor;
  using WaitOne = WaitFor<Request, detail::Wait::Until::all>;
  template <std::size_t N>
  using WaitEach = WaitFor<std::array<Request, N>, detail::Wait::Until::all>;
  using WaitAll = WaitFor<std::span<const Request>, detail::Wait::Until::all>;
  using WaitAny = WaitFor<std::span<const Request>, detail::Wait::Until::any>;
  using Test = WaitFor<Request, detail::Wait::Until::tested>;

  ProcessId rank() const { return rank_; }
  /// Ranks are 0 .. process_count()-1.
  std::uint32_t process_count() const;
  std::uint32_t size() const { return process_count(); }  ///< shorter name of process_count()
  /// All processes; see dcube/engine/group.hpp for its parts.
  Group world() const;
  /// The process's own simulated time.
  Ticks now() const;
  /// now() for records of the run, when no action of the program depends on it. After a now(), the
  /// lower bound of the makespan sees no further.
  Ticks now_for_the_record() const;

  /// `co_await` computes for `duration` >= 0. It waits only if the node has fewer cores than
  /// processes: they serve computations in order of (ready time, process), each to its end.
  Computation compute(Ticks duration) const;
  /// Computes `count` operations, rounded once. InputError if the `compute` table lacks them.
  Computation compute(std::string_view operation, std::uint64_t count) const;
  /// Time of that computation.
  Ticks duration_of(std::string_view operation, std::uint64_t count) const;
  /// Computes `count` operations that take `each`, rounded once.
  Computation compute(const ExactTime& each, std::uint64_t count) const;
  /// Costs of messages and collectives on the machine.
  const EndpointModel& endpoint_costs() const;
  /// `duration` under the run's jitter, for programs that compute while they wait; compute()
  /// applies it by itself. `computation` is a number of the caller's choice.
  Ticks varied(Ticks duration, std::uint64_t computation) const;
  /// Enters stage `stage` (below the run's stage count) of the program.
  void enter_stage(std::uint32_t stage);

  /// Sends and continues after the send cost. A message above the machine's eager limit leaves when
  /// its receiver has asked for it. A message to itself is free and instantaneous.
  void send(ProcessId to, Payload payload, Tag tag = 0, SendMode mode = SendMode::by_size);
  /// send() with a request.
  Request post_send(ProcessId to, Payload payload, Tag tag = 0, SendMode mode = SendMode::by_size,
                    SendEnd end = SendEnd::left);

  /// `co_await` gives the payload of the earliest message sent by `from` and not taken yet.
  Receive receive(ProcessId from, Tag tag = 0) const;
  /// `co_await` gives the first arrived message that nothing else has taken, in order of (arrival,
  /// source, send number). Every message that arrives at that instant is considered.
  ReceiveAny receive_any(Tag tag = any_tag) const;
  /// Posts a receive, maybe from `anyone`, and continues. Receives are matched in posting order.
  Request post_receive(ProcessId from, Tag tag = 0);
  /// Both send, then receive: `co_await` gives the partner's payload; with itself, its own.
  Receive exchange(ProcessId partner, Payload payload,
                   ExchangeMode mode = ExchangeMode::rendezvous) const;

  /// `co_await` gives the message of a receive, or an empty one when a send is complete.
  WaitOne wait(Request request) const;
  /// Waits for one after the other: `auto [left, right] = co_await process.wait_all(a, b)`.
  template <std::same_as<Request>... Requests>
  WaitEach<sizeof...(Requests)> wait_all(Requests... requests) const;
  /// Waits for any number of requests, which must outlive the wait.
  WaitAll wait_all(std::span<const Request> requests) const;
  /// Waits for the request that completes first; of several at one instant, the first listed. The
  /// others stay posted. The requests must outlive the wait.
  WaitAny wait_any(std::span<const Request> requests) const;
  /// wait_any() with a timeout at the instant `until`, or at now() if that is later. A request that
  /// completes at that very instant is in time. Without requests the time just passes. `meanwhile`
  /// is compute, endpoint or waiting; waiting in vain counts as endpoint.
  WaitAny wait_any(std::span<const Request> requests, Ticks until,
                   Activity meanwhile = Activity::waiting) const;
  /// `co_await` tells whether the request is complete now(). It stays posted.
  Test test(Request request) const;

 private:
  friend class Group;
  friend class detail::Listener;
  friend class detail::PortClocks;
  [[noreturn]] void refuse(std::string_view problem) const;
  WaitAny wait_any(std::span<const Request> requests, Ticks until, Activity meanwhile,
                   const std::uint32_t* stages) const;
  WaitAny wait_for_ports(std::span<const Request> requests, Ticks until,
                         const std::uint32_t* stages) const;

  detail::Kernel* kernel_;
  ProcessId rank_;
};

/// Base of all awaitables of a process.
class Process::Awaitable {
 public:
  Awaitable(const Awaitable&) = delete;
  Awaitable& operator=(const Awaitable&) = delete;
  void await_suspend(std::coroutine_handle<> waiting) const;

 protected:
  /// `kind` is below four.
  Awaitable(detail::Kernel& kernel, ProcessId process, unsigned kind = 0)
      : word_{reinterpret_cast<std::uintptr_t>(&kernel) | kind << 1U}, process_{process} {}
  Awaitable(Awaitable&& other) noexcept
      : word_{std::exchange(other.word_, other.word_ | used)}, process_{other.process_} {}
  ~Awaitable() = default;

  /// Throws when the awaitable was used or moved from.
  void use(const char* call) {
    if ((word_ & used) != 0) [[unlikely]] {
      refuse_again(call);
    }
    word_ |= used;
  }
  detail::Kernel& kernel() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): frames hold awaitables, and are many
    return *reinterpret_cast<detail::Kernel*>(word_ & ~std::uintptr_t{7});
  }
  unsigned kind() const { return static_cast<unsigned>(word_ >> 1U & 3U); }

 private:
  static constexpr std::uintptr_t used = 1;

  [[noreturn, gnu::cold]] void refuse_again(const char* call) const;

  /// The address of the kernel, with the kind and `used` in the bits that it leaves free.
  std::uintptr_t word_;

 protected:
  ProcessId process_;
};

class [[nodiscard]] Process::Computation : public Awaitable {
 public:
  bool await_ready();
  void await_resume() const {}

 private:
  friend class Process;
  Computation(detail::Kernel& kernel, ProcessId process, Ticks duration)
      : Awaitable{kernel, process}, duration_{duration} {}
  Ticks duration_;
};

class [[nodiscard]] Process::Receive : public Awaitable {
 public:
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting);
  Payload await_resume();

 private:
  friend class Process;
  enum class Call : unsigned { receive, exchange, eager_exchange };

  Receive(detail::Kernel& kernel, ProcessId process, ProcessId peer, Call call, Payload&& payload)
      : Awaitable{kernel, process, static_cast<unsigned>(call)},
        peer_{peer},
        payload_{std::move(payload)} {}
  Call call() const { return static_cast<Call>(kind()); }
  bool receive(std::coroutine_handle<> waiting);

  ProcessId peer_;
  Payload payload_;  ///< to be exchanged; a receive encodes its tag as the size
};

template <class Requests, detail::Wait::Until until>
class [[nodiscard]] Process::WaitFor : public Awaitable {
 public:
  bool await_ready() {
    use("waits");
    wait_.until = until;
    if constexpr (std::is_same_v<Requests, Request>) {
      wait_.requests = {&requests_, 1};
    } else {
      wait_.requests = requests_;
    }
    return detail::begin_wait(kernel(), process_, wait_);
  }
  auto await_resume() {
    using detail::Wait;
    if constexpr (until == Wait::Until::tested) {
      return wait_.is_complete;
    } else if constexpr (until == Wait::Until::any) {
      return wait_.position == requests_.size()
                 ? Completed{wait_.position, {}}
                 : Completed{wait_.position, take(requests_[wait_.position])};
    } else if constexpr (std::is_same_v<Requests, Request>) {
      return take(requests_);
    } else if constexpr (std::is_same_v<Requests, std::span<const Request>>) {
      std::vector<Received> messages;
      messages.reserve(requests_.size());
      for (const Request& request : requests_) {
        messages.push_back(take(request));
      }
      return messages;
    } else {
      std::array<Received, std::tuple_size_v<Requests>> messages;
      for (std::size_t i = 0; i < messages.size(); ++i) {
        messages[i] = take(requests_[i]);
      }
      return messages;
    }
  }

 private:
  friend class Process;
  WaitFor(detail::Kernel& kernel, ProcessId process, Requests requests)
      : Awaitable{kernel, process}, requests_{requests} {}
  Received take(Request request) const { return detail::take_message(kernel(), process_, request); }

 protected:
  Requests requests_;
  detail::Wait wait_;
};

class [[nodiscard]] Process::ReceiveAny : public WaitOne {
 public:
  bool await_ready();

 private:
  friend class Process;
  ReceiveAny(detail::Kernel& kernel, ProcessId process, Tag tag)
      : WaitOne{kernel, process, {}}, tag_{tag} {}
  Tag tag_;
};

inline Process::Computation Process::compute(Ticks duration) const {
  return {*kernel_, rank_, duration};
}

inline Process::Receive Process::receive(ProcessId from, Tag tag) const {
  return {*kernel_, rank_, from, Receive::Call::receive, Payload::of_size(tag)};
}

inline Process::Receive Process::exchange(ProcessId partner, Payload payload,
                                          ExchangeMode mode) const {
  const bool is_eager = mode == ExchangeMode::eager;
  return {*kernel_, rank_, partner,
          is_eager ? Receive::Call::eager_exchange : Receive::Call::exchange, std::move(payload)};
}

template <std::same_as<Request>... Requests>
Process::WaitEach<sizeof...(Requests)> Process::wait_all(Requests... requests) const {
  return {*kernel_, rank_, std::array{requests...}};
}

}  // namespace dcube
