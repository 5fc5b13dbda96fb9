#pragma once

// Steps of the plain simulator that wait for messages: receives, exchanges, and waits for requests.

#include <iterator>

#include "collectives.hpp"

namespace dcube::testing {

class PlainRequests : public PlainCollectives {
 protected:
  using PlainCollectives::PlainCollectives;

  bool try_receive(ProcessId p, ProcessId from, Tag tag) {
    PlainActor& actor = actors_[p.index()];
    const bool is_new = !actor.own;
    if (is_new) {
      actor.own = matching_.post_receive(p, from, tag, now_);
    }
    const PlainRequest& request = matching_.request(*actor.own);
    if (!matching_.completion(request)) {
      return is_new;
    }
    const PlainMessage& message = matching_.message_of(request);
    take(p, request);
    observe(p, 0, message.source, from == anyone ? message.tag : 0, message.bytes);
    actor.own.reset();
    actor.has_sent = false;
    ++actor.step;
    return true;
  }

  bool step_exchange(ProcessId p, const Step& step) {
    PlainActor& actor = actors_[p.index()];
    if (step.peer == p) {
      observe(p, 0, step.peer, 0, step.bytes);
      ++actor.step;
      return true;
    }
    if (actor.has_sent) {
      return try_receive(p, step.peer, 0);
    }
    if (step.mode == ExchangeMode::eager) {
      actor.has_sent = true;
      pay_and_send(p, step.peer, step.tag, step.bytes, SendMode::by_size);
      return true;
    }
    if (!actors_[step.peer.index()].is_posted || step_of(step.peer).peer != p) {
      return !std::exchange(actor.is_posted, true);
    }
    for (const ProcessId who : {p, step.peer}) {
      const Step& own = step_of(who);
      PlainActor& both = actors_[who.index()];
      note(who, Activity::waiting, both.blocked_since, now_, own.peer, std::nullopt,
           Awaits::partner);
      both.is_posted = false;
      both.has_sent = true;
      both.blocked_since = now_;
      pay_and_send(who, own.peer, own.tag, own.bytes, SendMode::eager);
    }
    return true;
  }

  bool step_wait(ProcessId p, const Step& step) {
    PlainActor& actor = actors_[p.index()];
    const bool is_new = !actor.waits_for;
    if (is_new) {
      begin_wait(p, step);
    }
    const std::vector<std::size_t>& steps = *actor.waits_for;
    if (actor.left_of_all && !actor.left_of_all->empty()) {
      listen(p, std::nullopt);  // takes them in order of completion
      return true;
    }
    if (step.kind == Step::Kind::wait_all && !actor.left_of_all && actor.position < steps.size()) {
      const PlainRequest& request = request_of(p, steps[actor.position]);
      if (!matching_.completion(request)) {
        return is_new;
      }
      ++actor.position;
      take(p, request);
      return true;
    }
    if (step.kind != Step::Kind::wait_all && !steps.empty()) {
      return is_new;  // answer_choices() decides
    }
    for (const std::size_t posting : steps) {
      forget(p, posting);
    }
    end_wait(p);
    return true;
  }

  /// Answers those who wait for one of several requests that was complete at `last`, or test one.
  bool answer_choices(Ticks last) {
    bool has_answered = false;
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      const PlainActor& actor = actors_[p];
      if (!actor.busy_until) {
        has_answered |= actor.listens ? answer_listener(ProcessId{p}, last)
                                      : actor.waits_for && answer_choice(ProcessId{p}, last);
      }
    }
    return has_answered;
  }

  /// Whom a process that is blocked for ever waits for.
  ProcessId awaited_by(ProcessId p) const {
    const PlainActor& actor = actors_[p.index()];
    const Step& step = step_of(p);
    if (!actor.listens && step.kind == Step::Kind::wait_all) {
      return request_of(p, (*actor.waits_for)[actor.position]).peer;
    }
    if (!actor.listens && step.kind != Step::Kind::wait_any) {
      return step.peer;
    }
    std::vector<std::size_t> requests;  // of which one is enough
    if (!actor.listens) {
      requests = requests_of(p, *actor.waits_for);
    } else {
      requests = actor.left_of_all.value_or(requests);
      for (const PlainCollective& collective : actor.collectives) {
        std::ranges::copy(collective.waiting_requests(), std::back_inserter(requests));
      }
    }
    return requests.size() == 1 ? matching_.request(requests.front()).peer : anyone;
  }

 private:
  const PlainRequest& request_of(ProcessId p, std::size_t step) const {
    return matching_.request(actors_[p.index()].requests.at(step));
  }

  std::vector<std::size_t> requests_of(ProcessId p, const std::vector<std::size_t>& steps) const {
    std::vector<std::size_t> requests;
    for (const std::size_t step : steps) {
      requests.push_back(actors_[p.index()].requests.at(step));
    }
    return requests;
  }

  /// A wait is for those of its requests that are still posted.
  void begin_wait(ProcessId p, const Step& step) {
    PlainActor& actor = actors_[p.index()];
    actor.waits_for.emplace();
    actor.position = 0;
    actor.waits_until.reset();
    std::ranges::copy_if(step.requests, std::back_inserter(*actor.waits_for),
                         [&](std::size_t posting) { return actor.requests.contains(posting); });
    if (step.kind == Step::Kind::wait_all && actor.has_background()) {
      actor.left_of_all = requests_of(p, *actor.waits_for);
    }
    if (step.kind == Step::Kind::wait_any && step.duration > Ticks{0} &&
        !actor.waits_for->empty()) {
      actor.waits_until = now_ + step.duration;
      instants_.insert(*actor.waits_until);
    }
  }

  void end_wait(ProcessId p) {
    actors_[p.index()].waits_for.reset();
    actors_[p.index()].left_of_all.reset();
    ++actors_[p.index()].step;
  }

  void forget(ProcessId p, std::size_t posting) {
    const PlainRequest& request = request_of(p, posting);
    const PlainMessage& message = matching_.message_of(request);
    if (request.is_send) {
      observe(p, posting, p, request.tag, 0);
    } else {
      observe(p, posting, message.source, message.tag, message.bytes);
    }
    actors_[p.index()].requests.erase(posting);
  }

  bool answer_choice(ProcessId p, Ticks last) {
    PlainActor& actor = actors_[p.index()];
    const Step& step = step_of(p);
    if (actor.waits_for->empty() || step.kind == Step::Kind::wait_all) {
      return false;
    }
    if (step.kind == Step::Kind::test) {
      if (last < now_) {
        return false;
      }
      const bool is_complete =
          matching_.completion(request_of(p, actor.waits_for->front())).has_value();
      observe(p, is_complete ? 1 : 0, ProcessId{}, 0, 0);
      end_wait(p);
      return true;
    }
    if (const auto first = matching_.first_complete(requests_of(p, *actor.waits_for), last)) {
      if (actor.waits_until && step.meanwhile != Activity::waiting) {
        note_alone(p, step.meanwhile);  // who works while it waits has not waited
      }
      const std::size_t posting = (*actor.waits_for)[*first];
      take(p, request_of(p, posting));
      forget(p, posting);
      end_wait(p);
      return true;
    }
    if (actor.waits_until == std::optional{now_} && last == now_) {
      // Nobody is to blame for a wait whose time is over.
      note_alone(p, step.meanwhile == Activity::compute ? Activity::compute : Activity::endpoint);
      observe(p, case_.scripts[p.index()].size(), ProcessId{}, 0, 0);
      end_wait(p);
      return true;
    }
    return false;
  }
};

}  // namespace dcube::testing
