#pragma once

// Processes of the plain simulator: where they are in their scripts, and how their time is noted.

#include <deque>
#include <map>

#include "collective.hpp"
#include "matching.hpp"

namespace dcube::testing {

/// The port whose steps a process takes at present.
struct PlainServing {
  enum class Phase { send, receive, combine, combine_only, end };
  std::size_t collective = 0;
  std::size_t port = 0;
  Phase phase = Phase::send;
  std::uint64_t bytes = 0;   ///< combine
  bool is_prepared = false;  ///< to send
};

/// What comes next in a collective that the process waits for.
enum class PlainCalling { set_up, start, finish, copy, end };

/// A process.
struct PlainActor {
  std::size_t step = 0;
  bool is_posted = false;  ///< waits in a rendezvous for its partner
  bool has_sent = false;   ///< the sending half of its exchange is over
  bool is_done = false;
  Ticks blocked_since{0};
  std::optional<Ticks> busy_until;
  std::optional<Ticks> wants_core;                    ///< for so long, since blocked_since
  std::uint64_t computations = 0;                     ///< begun so far
  std::map<std::size_t, std::size_t> requests;        ///< by the steps that posted them
  std::optional<std::size_t> own;                     ///< the receive that it is in
  std::optional<std::vector<std::size_t>> waits_for;  ///< steps of the requests
  std::optional<Ticks> waits_until;
  std::size_t position = 0;  ///< of the first that is not complete

  std::vector<PlainCollective> collectives;  ///< that were not waited for, in order
  std::optional<std::size_t> starting;       ///< next port of the last one
  std::optional<PlainCalling> calling;
  std::optional<PlainServing> serving;
  std::deque<PlainServing> served_next;
  std::uint64_t computations_beside = 0;                ///< begun so far beside collectives
  std::optional<Ticks> left;                            ///< of a computation beside collectives
  std::optional<std::vector<std::size_t>> left_of_all;  ///< requests of a wait beside collectives
  bool listens = false;  ///< for a message of a collective, or its own requests
  std::optional<Ticks> listens_until;

  /// Ends a step, or a part of one that is a call.
  void go_on(PlainCalling next) {
    if (calling) {
      calling = next;
    } else {
      ++step;
    }
  }
  bool has_background() const {
    return std::ranges::any_of(collectives, [](const auto& each) { return !each.is_done(); });
  }
};

/// What all steps of processes need: costs of endpoints, and notes of times.
class PlainActors {
 protected:
  explicit PlainActors(const ScriptCase& scripted)
      : case_{scripted}, matching_{scripted, history_, instants_}, actors_(scripted.map.size()) {}

  /// The step that the process is at.
  const Step& step_of(ProcessId p) const {
    return case_.scripts[p.index()][actors_[p.index()].step];
  }

  /// Cost of the last step that the message is above; `usual` where it is above none.
  Ticks cost_of(std::uint64_t bytes, TransferCost usual,
                TransferCost EndpointStep::*in_step) const {
    const std::vector<EndpointStep>& larger = case_.machine.endpoint.larger;
    for (std::size_t i = larger.size(); i-- > 0;) {
      if (larger[i].above < bytes) {
        return (larger[i].*in_step).of(bytes);
      }
    }
    return usual.of(bytes);
  }
  Ticks send_cost(std::uint64_t bytes) const {
    return cost_of(bytes, case_.machine.endpoint.send, &EndpointStep::send);
  }
  Ticks receive_cost(std::uint64_t bytes) const {
    return cost_of(bytes, case_.machine.endpoint.receive, &EndpointStep::receive);
  }

  std::size_t pay_and_send(ProcessId p, ProcessId to, Tag tag, std::uint64_t bytes, SendMode mode) {
    const Ticks cost = to == p ? Ticks{0} : send_cost(bytes);
    const MessageName message = matching_.next_message(p);
    const std::size_t m = matching_.send(p, to, tag, bytes, now_ + cost, mode);
    occupy(p, Activity::endpoint, cost, to, message);
    return m;
  }

  /// The process has waited for a request that is complete.
  void take(ProcessId p, const PlainRequest& request) {
    const PlainMessage& message = matching_.message_of(request);
    const Ticks begin = std::exchange(actors_[p.index()].blocked_since, now_);
    const Ticks on_its_way = std::clamp(message.start, begin, now_);
    const MessageName name{message.source, message.send_number};
    if (request.is_send) {
      note(p, Activity::waiting, begin, on_its_way, request.peer, std::nullopt, Awaits::receiver,
           message.send_number);
      note(p, Activity::communication, on_its_way, now_, request.peer, name);
      return;
    }
    note(p, Activity::waiting, begin, on_its_way, message.source, name, Awaits::message);
    note(p, Activity::communication, on_its_way, now_, message.source, name);
    occupy(p, Activity::endpoint, message.source == p ? Ticks{0} : receive_cost(message.bytes),
           message.source, name);
  }

  /// Noted when what is paid for receiving it has been paid, too.
  void observe(ProcessId p, std::size_t request, ProcessId source, Tag tag, std::uint64_t bytes) {
    const PlainActor& actor = actors_[p.index()];
    history_.observations.push_back(
        {p, actor.step, actor.busy_until.value_or(now_), request, source, tag, bytes});
  }

  void occupy(ProcessId p, Activity activity, Ticks duration, ProcessId peer,
              std::optional<MessageName> message) {
    actors_[p.index()].blocked_since = now_ + duration;
    note(p, activity, now_, now_ + duration, peer, message);
    if (duration > Ticks{0}) {
      actors_[p.index()].busy_until = now_ + duration;
      instants_.insert(now_ + duration);
    }
  }

  void note(ProcessId p, Activity activity, Ticks begin, Ticks end, ProcessId peer,
            std::optional<MessageName> message, Awaits awaits = Awaits::nothing,
            std::uint32_t send_number = 0) {
    if (begin < end) {
      history_.intervals.push_back(
          {p, activity, no_stage, begin, end, peer, message, awaits, send_number});
    }
  }
  /// The time since it was blocked, with nobody else.
  void note_alone(ProcessId p, Activity activity) {
    note(p, activity, actors_[p.index()].blocked_since, now_, p, std::nullopt);
    actors_[p.index()].blocked_since = now_;
  }

  const ScriptCase& case_;
  History history_;
  std::multiset<Ticks> instants_;  ///< of coming events
  Ticks now_{0};
  PlainMatching matching_;
  std::vector<PlainActor> actors_;  ///< [process]
};

}  // namespace dcube::testing
