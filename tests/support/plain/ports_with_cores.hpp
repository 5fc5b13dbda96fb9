#pragma once

// Collectives whose ports have cores of their own. The process takes the messages in the order in
// which they come. What a port does then, up to its next wait, has times of its own, which may be
// yet to come. All compute in this order, one at a time.

#include "computing.hpp"

namespace dcube::testing {

class PlainPortsWithCores : public PlainComputing {
 protected:
  using PlainComputing::PlainComputing;

  void start_cores(ProcessId p, PlainCollective& collective) {
    history_.has_cores_of_ports = true;
    collective.cores = PlainCores{.begin = now_, .turn = Ticks{0}, .end = now_};
    for (std::size_t port = 0; port < collective.ports.size(); ++port) {
      collective.ports[port].at = now_;
      go_on(p, collective, port);
    }
    end_cores_if_done(p, collective);
  }

  /// Takes the first message that had come at `last`, if any.
  bool answer_cores(ProcessId p, PlainCollective& collective, Ticks last) {
    const auto first = matching_.first_complete(collective.waiting_requests(), last);
    if (first) {
      take_at_core(p, collective, collective.waiting_ports()[*first]);
    }
    return first.has_value();
  }

  /// Computing in the mean of all ports, and the rest of the time as the endpoint's.
  void note_cores(ProcessId p, const PlainCollective& collective) {
    const PlainCores& cores = *collective.cores;
    const Ticks computed =
        cores.begin + cores.computed / static_cast<Ticks::rep>(collective.ports.size());
    note(p, Activity::compute, cores.begin, std::min(computed, cores.end), p, std::nullopt);
    note(p, Activity::endpoint, computed, cores.end, p, std::nullopt);
  }

 private:
  void compute_in_turn(ProcessId p, PlainCollective& collective, PlainPort& port, Ticks time) {
    if (time > Ticks{0}) {
      const Ticks taken = varied(p, time, actors_[p.index()].computations++);
      port.at = std::max(port.at, collective.cores->turn) + taken;
      collective.cores->turn = port.at;
      collective.cores->computed += taken;
    }
  }

  /// The steps of a port until it waits.
  void go_on(ProcessId p, PlainCollective& collective, std::size_t number) {
    PlainPort& port = collective.ports[number];
    std::optional<std::size_t> awaited;
    while (!awaited) {
      if (port.is_held_up()) {
        awaited = port.sent.back();
        port.sent.pop_back();
        break;
      }
      if (port.is_at_end()) {
        port.is_done = true;
        break;
      }
      const ScriptCollective::PortStep& step = port.step();
      if (step.to && *step.to != p) {
        compute_in_turn(p, collective, port, collective.preparing(step));
        port.at += send_cost(step.bytes);
        const bool blocks = collective.blocks(step.bytes);
        const std::size_t m = matching_.send(p, *step.to, port.tag, step.bytes, port.at,
                                             blocks ? SendMode::rendezvous : SendMode::by_size);
        if (blocks) {
          port.sent.push_back(matching_.post_send(m, SendEnd::arrived));
        }
      }
      if (step.from && *step.from != p) {
        awaited = matching_.post_receive(p, *step.from, port.tag, port.at);
      } else {
        if (step.from) {
          compute_in_turn(p, collective, port, collective.combining_time(step, step.bytes));
        }
        ++port.next;
      }
    }
    if (awaited) {
      collective.wait_at(number, *awaited);
      instants_.insert(std::max(now_, port.at));
    }
    collective.cores->end = std::max(collective.cores->end, port.at);
  }

  void take_at_core(ProcessId p, PlainCollective& collective, std::size_t number) {
    PlainPort& port = collective.ports[number];
    const PlainRequest request = matching_.request(collective.end_wait(number));
    const std::uint64_t bytes = matching_.message_of(request).bytes;
    const Ticks complete = *matching_.completion(request);
    if (request.is_send) {
      port.at = std::max(port.at, complete);
      go_on(p, collective, number);
    } else {
      port.at = complete + receive_cost(bytes);
      collective.cores->end = std::max(collective.cores->end, port.at);
      instants_.insert(port.at);
      if (!collective.is_in_step || !port.is_in_exchange()) {
        combine_at_core(p, collective, {number, bytes});
        go_on(p, collective, number);
      } else if (collective.hold({number, bytes})) {
        const std::vector<PlainHeld> all = std::exchange(collective.held, {});
        Ticks last{0};
        for (const PlainHeld& held : all) {
          last = std::max(last, collective.ports[held.port].at);
        }
        for (const PlainHeld& held : all) {
          collective.ports[held.port].at = last;
          combine_at_core(p, collective, held);
        }
        for (const PlainHeld& held : all) {
          go_on(p, collective, held.port);
        }
      }
    }
    end_cores_if_done(p, collective);
  }

  void combine_at_core(ProcessId p, PlainCollective& collective, const PlainHeld& message) {
    PlainPort& port = collective.ports[message.port];
    const ScriptCollective::PortStep& step = (*port.steps)[port.next++];
    compute_in_turn(p, collective, port, collective.combining_time(step, message.bytes));
    collective.cores->end = std::max(collective.cores->end, port.at);
  }

  void end_cores_if_done(ProcessId p, const PlainCollective& collective) {
    if (collective.is_done()) {
      note_cores(p, collective);
      actors_[p.index()].listens = false;
      actors_[p.index()].busy_until = collective.cores->end;
      instants_.insert(collective.cores->end);
    }
  }
};

}  // namespace dcube::testing
