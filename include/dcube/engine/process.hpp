#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

namespace detail {
class Kernel;
}

/// What a message carries: a size that the network charges for and, when a program computes on real
/// data, a typed buffer. The buffer moves from sender to receiver and is never copied.
class Payload {
 public:
  Payload() = default;
  /// A size with no data behind it: a million processes stay small.
  static Payload of_size(std::uint64_t bytes) {
    Payload payload;
    payload.size_bytes_ = bytes;
    return payload;
  }
  template <class T>
  static Payload of(std::vector<T> values) {
    const std::uint64_t bytes = values.size() * sizeof(T);
    return of(std::move(values), bytes);
  }
  /// Values that the simulated machine sends in so many bytes.
  template <class T>
  static Payload of(std::vector<T> values, std::uint64_t bytes) {
    Payload payload;
    payload.size_bytes_ = bytes;
    payload.buffer_ = std::make_unique<TypedBuffer<T>>(std::move(values));
    return payload;
  }

  std::uint64_t size_bytes() const { return size_bytes_; }
  bool has_data() const { return buffer_ != nullptr; }
  /// The values that of<T>() was given. Needs data of that very type.
  template <class T>
  std::vector<T> take() {
    auto* typed = dynamic_cast<TypedBuffer<T>*>(buffer_.get());
    expects(typed != nullptr, "a payload is taken as the type it was sent as");
    std::vector<T> values = std::move(typed->values);
    buffer_.reset();
    return values;
  }

 private:
  struct Buffer {
    virtual ~Buffer() = default;
  };
  template <class T>
  struct TypedBuffer final : Buffer {
    explicit TypedBuffer(std::vector<T> v) : values{std::move(v)} {}
    std::vector<T> values;
  };

  std::uint64_t size_bytes_ = 0;
  std::unique_ptr<Buffer> buffer_;
};

/// When the two transfers of an exchange start. Rendezvous: when both partners are ready. Eager:
/// each when its own sender is ready.
enum class ExchangeMode { rendezvous, eager };

/// One process of a running program: what its code may do. Every process has a clock of its own,
/// which computing and endpoint costs move on and which waiting carries to the awaited instant.
class Process {
 public:
  Process(detail::Kernel& kernel, ProcessId rank) : kernel_{&kernel}, rank_{rank} {}

  class [[nodiscard]] Receive;

  ProcessId rank() const { return rank_; }
  /// Ranks are 0 .. process_count()-1. A message to or from any other is a ContractViolation.
  std::uint32_t process_count() const;
  std::uint32_t size() const { return process_count(); }  ///< a shorter name
  /// The process's own simulated time.
  Ticks now() const;

  /// Computes for `duration` >= 0.
  void compute(Ticks duration);
  /// Computes `count` operations of the machine's `compute` table, rounded once. InputError when it
  /// has no such entry.
  void compute(std::string_view operation, std::uint64_t count);
  /// Computes `count` operations that take `each`, rounded once.
  void compute(const ExactTime& each, std::uint64_t count);
  /// What follows belongs to stage `stage` (below the run's stage count) of the program.
  void enter_stage(std::uint32_t stage);

  /// Sends and goes on after the send cost. A message to itself is free and instantaneous.
  void send(ProcessId to, Payload payload);
  /// `co_await` gives the payloads of `from` in the order they were sent.
  Receive receive(ProcessId from) const;
  /// `co_await` gives the partner's payload. Both send, then receive. An exchange with itself gives
  /// back its own.
  Receive exchange(ProcessId partner, Payload payload,
                   ExchangeMode mode = ExchangeMode::rendezvous) const;

 private:
  detail::Kernel* kernel_;
  ProcessId rank_;
};

/// Awaits one message; made by receive() and exchange(), which do nothing else: the process asks
/// for the message, or offers its own, when it awaits this.
///
/// It is awaited at most once, by code of its own process, and a process awaits one at a time;
/// anything else is a ContractViolation.
class [[nodiscard]] Process::Receive {
 public:
  Receive(Receive&& other) noexcept
      : kernel_{other.kernel_},
        payload_{std::move(other.payload_)},
        process_{other.process_},
        peer_{other.peer_},
        call_{std::exchange(other.call_, Call::none)} {}
  Receive& operator=(Receive&&) = delete;
  ~Receive() = default;

  bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting) const;
  Payload await_resume() const;

 private:
  friend class Process;
  enum class Call : std::uint8_t { none, receive, exchange, eager_exchange };

  Receive(detail::Kernel& kernel, ProcessId process, ProcessId peer, Call call,
          Payload&& payload = {})
      : kernel_{&kernel},
        payload_{std::move(payload)},
        process_{process},
        peer_{peer},
        call_{call} {}

  detail::Kernel* kernel_;
  Payload payload_;  ///< to be exchanged
  ProcessId process_;
  ProcessId peer_;
  Call call_;  ///< to be made when this is awaited; none afterwards
};

}  // namespace dcube
