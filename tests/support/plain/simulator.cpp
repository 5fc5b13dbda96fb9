#include "simulator.hpp"

#include "requests.hpp"

namespace dcube::testing {

namespace {

/// Goes from instant to instant, and at each lets every process do what it can.
class PlainSimulator : public PlainRequests {
 public:
  explicit PlainSimulator(const ScriptCase& scripted) : PlainRequests{scripted} {
    history_.ends.assign(actors_.size(), Ticks{0});
  }

  History run() {
    instants_.insert(Ticks{0});
    while (!instants_.empty() && !history_.cut_off) {
      for (const Fault& fault : case_.machine.links.faults) {
        if (fault.at > now_ && fault.at <= *instants_.begin()) {
          instants_.insert(fault.at);
        }
      }
      now_ = *instants_.begin();
      instants_.erase(now_);
      matching_.begin_instant(now_);
      do {
        while (step_processes() || take_what_was_there()) {
        }
      } while (match_all_from_anyone() || answer_choices(now_) || serve_cores());
      matching_.end_instant();
    }
    if (history_.cut_off) {
      matching_.stop();
    }
    for (std::uint32_t p = 0; p < actors_.size() && !history_.cut_off; ++p) {
      if (!actors_[p].is_done) {
        end_blocked(ProcessId{p});
      }
    }
    return std::move(history_);
  }

 private:
  bool step_processes() {
    bool has_moved = false;
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      while (step(ProcessId{p})) {
        has_moved = true;
      }
    }
    return has_moved;
  }

  /// What came before this instant is taken at once: nothing that happens at it can be earlier.
  bool take_what_was_there() {
    return matching_.match_from_anyone(now_ - Ticks{1}) || answer_choices(now_ - Ticks{1});
  }

  bool match_all_from_anyone() {
    bool has_matched = false;
    while (matching_.match_from_anyone(now_)) {
      has_matched = true;
    }
    return has_matched;
  }

  /// Does what the process can do now; false when it can do nothing.
  bool step(ProcessId p) {
    PlainActor& actor = actors_[p.index()];
    if (actor.is_done || (actor.busy_until && *actor.busy_until > now_)) {
      return false;
    }
    if (actor.busy_until) {
      actor.busy_until.reset();
      actor.blocked_since = now_;
    }
    if (!actor.serving && !actor.served_next.empty()) {
      actor.serving = actor.served_next.front();
      actor.served_next.pop_front();
    }
    if (actor.serving) {
      return serve(p);
    }
    if (actor.listens) {
      return receives_alone(actor) && answer_listener(p, now_);  // else answer_choices() decides
    }
    if (actor.step == case_.scripts[p.index()].size()) {
      actor.is_done = true;
      history_.ends[p.index()] = now_;
      return true;
    }
    const Step& step = step_of(p);
    switch (step.kind) {
      case Step::Kind::compute:
        if (actor.left || (actor.has_background() && !has_scarce_cores(p))) {
          return compute_beside(p, step.duration);
        }
        return compute(p, step.duration);
      case Step::Kind::call:
        return call(p, step);
      case Step::Kind::start:
        return start(p, step);
      case Step::Kind::finish:
        return finish(p, step.requests.front());
      case Step::Kind::send:
      case Step::Kind::post_send: {
        const std::size_t m = pay_and_send(p, step.peer, step.tag, step.bytes, step.send_mode);
        if (step.kind == Step::Kind::post_send) {
          actor.requests[actor.step] = matching_.post_send(m, step.send_end);
        }
        ++actor.step;
        return true;
      }
      case Step::Kind::post_receive:
        actor.requests[actor.step] = matching_.post_receive(p, step.peer, step.tag, now_);
        ++actor.step;
        return true;
      case Step::Kind::receive:
        return try_receive(p, step.peer, step.tag);
      case Step::Kind::exchange:
        return step_exchange(p, step);
      default:
        return step_wait(p, step);
    }
  }

  /// Nobody will ever answer the process.
  void end_blocked(ProcessId p) {
    history_.blocked.push_back(p);
    history_.ends[p.index()] = now_;
    for (const PlainCollective& collective : actors_[p.index()].collectives) {
      if (collective.cores) {
        actors_[p.index()].blocked_since = collective.cores->end;
        note_cores(p, collective);
      }
    }
    const ProcessId awaited = awaited_by(p);
    note(p, Activity::waiting, actors_[p.index()].blocked_since, now_,
         awaited == anyone ? p : awaited, std::nullopt, Awaits::nothing);
  }
};

}  // namespace

History simulate_plainly(const ScriptCase& scripted) {
  History history = PlainSimulator{scripted}.run();
  history.sort();
  return history;
}

}  // namespace dcube::testing
