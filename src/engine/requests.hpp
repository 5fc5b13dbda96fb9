#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/network/message.hpp"

namespace dcube::detail {

struct RequestState {
  enum class Kind : std::uint8_t { unused, receive, send };

  ProcessId owner;
  ProcessId peer;  ///< receive: the source, or anyone; send: the destination
  Tag tag = 0;
  Kind kind = Kind::unused;
  /// Receive: its message, once known. Send: its send number.
  std::uint32_t message = Message::none;
  std::uint32_t next = 0;        ///< in a queue of posts
  std::uint32_t generation = 0;  ///< of valid handles
  /// Receive: when posted, then when matched. Send: when its message left; before, not_yet.
  Ticks time{0};
  /// Send that ends when its message arrives: then when it left, and `time` is of the arrival.
  std::optional<Ticks> start{};
  std::uint64_t order = 0;  ///< receives: order of posting
};

/// All requests of a run.
class Requests {
 public:
  Request add(const RequestState& request) {
    std::uint32_t place = static_cast<std::uint32_t>(states_.size());
    if (unused_.empty()) {
      states_.push_back(request);
    } else {
      place = unused_.back();
      unused_.pop_back();
      const std::uint32_t generation = states_[place].generation;
      states_[place] = request;
      states_[place].generation = generation;
    }
    return {place, states_[place].generation};
  }
  void remove(Request request) {
    RequestState& state = states_[request.place_];
    state.kind = RequestState::Kind::unused;
    ++state.generation;
    unused_.push_back(request.place_);
  }

  static std::uint32_t place(Request request) { return request.place_; }
  RequestState& operator[](std::uint32_t place) { return states_[place]; }
  const RequestState& operator[](std::uint32_t place) const { return states_[place]; }
  bool was_ever(Request request) const { return request.place_ < states_.size(); }
  bool is_valid(Request request) const {
    return was_ever(request) && states_[request.place_].generation == request.generation_ &&
           states_[request.place_].kind != RequestState::Kind::unused;
  }

 private:
  std::vector<RequestState> states_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace dcube::detail
