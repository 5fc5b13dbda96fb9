#pragma once

// Collectives of the plain simulator, which a process takes part in or starts in the background: it
// computes or waits for requests meanwhile, and serves ports whose messages come.

#include "ports_with_cores.hpp"

namespace dcube::testing {

class PlainCollectives : public PlainPortsWithCores {
 protected:
  using PlainPortsWithCores::PlainPortsWithCores;

  /// A collective that the process waits for: what it costs besides its messages, and its steps.
  bool call(ProcessId p, const Step& step) {
    PlainActor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    const ScriptCollective& of = *step.collective;
    const EndpointModel& costs = case_.machine.endpoint;
    switch (actor.calling.value_or(PlainCalling::set_up)) {
      case PlainCalling::set_up: {
        std::uint32_t rounds = 0;
        while ((std::size_t{1} << rounds) < of.members.size()) {
          ++rounds;
        }
        actor.calling = PlainCalling::start;
        const std::uint64_t exchanges = std::uint64_t{rounds} * of.call.options.exchanges;
        return compute(p, round_cost(costs.call, costs.call_per_port, of.ports.size()) +
                              round_cost({}, costs.exchange, exchanges) +
                              PlainCollective::copying(of, costs, of.copied_first));
      }
      case PlainCalling::start:
        return start(p, step);
      case PlainCalling::finish:
        return finish(p, actor.step);
      case PlainCalling::copy:
        actor.calling = PlainCalling::end;
        return compute(p, PlainCollective::copying(of, costs, of.copied_last));
      default:
        actor.calling.reset();
        ++actor.step;
        return true;
    }
  }

  /// Every port takes its first steps.
  bool start(ProcessId p, const Step& step) {
    PlainActor& actor = actors_[p.index()];
    if (!actor.starting) {
      const ScriptCollective& of = *step.collective;
      const EndpointModel& costs = case_.machine.endpoint;
      actor.collectives.push_back(
          PlainCollective::begun(of, costs, actor.step, actor.calling.has_value()));
      actor.starting = 0;
      if (actor.calling && of.ports.size() > 1 && costs.several_ports.threads &&
          !has_scarce_cores(p)) {
        start_cores(p, actor.collectives.back());
        actor.starting = of.ports.size();
      }
    }
    if (*actor.starting < actor.collectives.back().ports.size()) {
      actor.serving = PlainServing{actor.collectives.size() - 1, (*actor.starting)++};
      return true;
    }
    actor.starting.reset();
    actor.go_on(PlainCalling::finish);
    return true;
  }

  bool finish(ProcessId p, std::size_t started) {
    PlainActor& actor = actors_[p.index()];
    const auto waited = std::ranges::find(actor.collectives, started, &PlainCollective::step);
    if (!waited->is_done()) {
      listen(p, std::nullopt);
      return true;
    }
    actor.collectives.erase(waited);
    actor.go_on(PlainCalling::copy);
    return true;
  }

  /// The next thing that a port does: it sends, posts a receive, or combines what has come.
  bool serve(ProcessId p) {
    using Phase = PlainServing::Phase;
    PlainActor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    PlainServing& serving = *actor.serving;
    PlainCollective& collective = actor.collectives[serving.collective];
    PlainPort& port = collective.ports[serving.port];
    if (serving.phase == Phase::end) {
      actor.serving.reset();
      return true;
    }
    if (serving.phase == Phase::send && port.is_held_up()) {
      collective.wait_at(serving.port, port.sent.back());
      port.sent.pop_back();
      actor.serving.reset();
      return true;
    }
    if (port.is_at_end()) {
      port.is_done = true;
      actor.serving.reset();
      return true;
    }
    const ScriptCollective::PortStep& step = port.step();
    const bool sends = step.to.value_or(p) != p;
    if (serving.phase == Phase::send && sends && collective.preparing(step) > Ticks{0} &&
        !std::exchange(serving.is_prepared, true)) {
      compute(p, collective.preparing(step));
    } else if (serving.phase == Phase::send) {
      serving.phase = Phase::receive;
      serving.is_prepared = false;
      if (sends) {
        const bool blocks = collective.blocks(step.bytes);
        const std::size_t m = pay_and_send(p, *step.to, port.tag, step.bytes,
                                           blocks ? SendMode::rendezvous : SendMode::by_size);
        if (blocks) {
          port.sent.push_back(matching_.post_send(m, SendEnd::arrived));
        }
      }
    } else if (serving.phase == Phase::receive && step.from && *step.from != p) {
      collective.wait_at(serving.port, matching_.post_receive(p, *step.from, port.tag, now_));
      actor.serving.reset();
    } else if (serving.phase == Phase::receive && step.from) {
      serving.phase = Phase::combine;
      serving.bytes = step.to == std::optional{p} ? step.bytes : 0;
    } else {
      const Ticks combining = serving.phase != Phase::receive
                                  ? collective.combining_time(step, serving.bytes)
                                  : Ticks{0};
      serving.phase = serving.phase == Phase::combine_only ? Phase::end : Phase::send;
      ++port.next;
      if (combining > Ticks{0}) {
        compute(p, combining);
      }
    }
    return true;
  }

  /// Messages of collectives interrupt the computation.
  bool compute_beside(ProcessId p, Ticks duration) {
    PlainActor& actor = actors_[p.index()];
    if (!actor.left) {
      constexpr std::uint64_t first = std::uint64_t{1} << 32;
      actor.left = varied(p, duration, first + actor.computations_beside++);
    }
    if (*actor.left == Ticks{0}) {
      actor.left.reset();
      ++actor.step;
    } else if (actor.has_background()) {
      listen(p, now_ + *actor.left);
    } else {
      occupy(p, Activity::compute, *std::exchange(actor.left, Ticks{0}), p, std::nullopt);
    }
    return true;
  }

  void listen(ProcessId p, std::optional<Ticks> until) {
    actors_[p.index()].listens = true;
    actors_[p.index()].listens_until = until;
    if (until) {
      instants_.insert(*until);
    }
  }

  /// Whether all that the process waits for is the next message of a collective.
  static bool receives_alone(const PlainActor& actor) {
    return actor.calling && actor.collectives.back().ports.size() == 1 &&
           !actor.collectives.back().sends_block;
  }

  /// Answers a process that listens, if a request was complete at `last` or its time is over.
  bool answer_listener(ProcessId p, Ticks last) {
    PlainActor& actor = actors_[p.index()];
    for (PlainCollective& collective : actor.collectives) {
      if (collective.cores) {
        return answer_cores(p, collective, last);
      }
    }
    std::vector<std::size_t> all = actor.left_of_all.value_or(std::vector<std::size_t>{});
    const std::size_t own = all.size();
    std::vector<std::pair<std::size_t, std::size_t>> ports;
    for (std::size_t c = 0; c < actor.collectives.size(); ++c) {
      for (const std::size_t i : actor.collectives[c].waiting_ports()) {
        all.push_back(actor.collectives[c].ports[i].request.value());
        ports.emplace_back(c, i);
      }
    }
    const auto first = matching_.first_complete(all, last);
    const bool is_over = !first && actor.listens_until == std::optional{now_} && last == now_;
    if (!first && !is_over) {
      return false;
    }
    if (actor.listens_until) {
      note_alone(p, Activity::compute);
      actor.left = *actor.listens_until - now_;
    }
    actor.listens = false;
    if (!first) {
      return true;
    }
    const PlainRequest& request = matching_.request(all[*first]);
    take(p, request);
    if (*first < own) {
      std::erase(*actor.left_of_all, all[*first]);
      return true;
    }
    const auto [c, i] = ports[*first - own];
    PlainCollective& collective = actor.collectives[c];
    collective.end_wait(i);
    const std::uint64_t bytes = matching_.message_of(request).bytes;
    if (request.is_send || !collective.is_in_step || !collective.ports[i].is_in_exchange()) {
      using Phase = PlainServing::Phase;
      actor.serving = PlainServing{c, i, request.is_send ? Phase::send : Phase::combine, bytes};
    } else if (collective.hold({i, bytes})) {
      for (const PlainHeld& held : collective.held) {
        actor.served_next.push_back({c, held.port, PlainServing::Phase::combine_only, held.bytes});
      }
      for (const PlainHeld& held : std::exchange(collective.held, {})) {
        actor.served_next.push_back({c, held.port});
      }
    }
    return true;
  }
};

}  // namespace dcube::testing
