#pragma once

// A collective as one of its processes has it: ports, what they wait for, and what it costs.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "support/script.hpp"

namespace dcube::testing {

/// A port of a collective in the background, with its request if it waits for a message.
struct PlainPort {
  const std::vector<ScriptCollective::PortStep>* steps = nullptr;
  Tag tag = 0;
  std::vector<std::size_t> sent{};  ///< requests of messages that hold up the next one
  std::size_t next = 0;
  std::optional<std::size_t> request{};
  bool is_done = false;
  Ticks at{0};  ///< where it has a core: its time

  bool is_at_end() const { return next == steps->size(); }
  const ScriptCollective::PortStep& step() const { return (*steps)[next]; }
  /// Whether messages that it has sent hold it up.
  bool is_held_up() const { return !sent.empty() && (is_at_end() || !step().continues); }
  /// Whether it takes or waits for a message to combine, in exchange for one of its own.
  bool is_in_exchange() const { return !is_at_end() && step().to && step().combinations > 0; }
};

/// A message that is combined when those of all ports have come.
struct PlainHeld {
  std::size_t port = 0;
  std::uint64_t bytes = 0;
};

/// Cores of ports.
struct PlainCores {
  Ticks begin{0};
  Ticks turn{0};  ///< end of the last computing
  Ticks end{0};   ///< of the latest action
  Ticks computed{0};
};

struct PlainCollective {
  std::size_t step = 0;  ///< that started it
  TransferCost combining;
  ExactTime plan;   ///< for each message
  ExactTime piece;  ///< for each after the first of a message
  bool sends_block = false;
  std::optional<std::uint64_t> eager_limit;
  bool is_in_step = false;
  std::vector<PlainPort> ports;
  std::vector<std::size_t> waiting{};  ///< ports, since the first
  std::vector<PlainHeld> held{};
  std::optional<PlainCores> cores{};

  static PlainCollective begun(const ScriptCollective& of, const EndpointModel& costs,
                               std::size_t step, bool is_awaited) {
    const CollectiveOptions& options = of.call.options;
    const SeveralPorts& several = costs.several_ports;
    PlainCollective made;
    made.step = step;
    made.combining = {
        at_ports(of, several.combine, costs.combine),
        options.compute.value_or(at_ports(of, several.combine_per_byte, costs.combine_per_byte))};
    made.plan = options.plans * at_ports(of, several.plan, costs.plan);
    made.piece = options.sends_pieces ? costs.piece : ExactTime{};
    made.sends_block = options.sends_block;
    made.eager_limit = costs.eager_limit_bytes;
    made.is_in_step = is_awaited && of.ports.size() > 1 && several.in_step;
    const Tag tag = (Tag{1} << 31) + options.tag * 64;
    for (const ScriptCollective::Port& port : of.ports) {
      made.ports.push_back({.steps = &port.steps, .tag = tag + port.tag});
    }
    return made;
  }

  static Ticks copying(const ScriptCollective& of, const EndpointModel& costs,
                       const CollectivePlan::Copied& copied) {
    const ExactTime& by_ports =
        at_ports(of, costs.several_ports.copy_per_byte, costs.copy_per_byte);
    const std::uint64_t bytes = of.call.options.element_bytes;
    return round_cost({}, by_ports, copied.by_ports * bytes) +
           round_cost({}, costs.copy_per_byte, copied.by_one_core * bytes);
  }

  bool blocks(std::uint64_t bytes) const {
    return sends_block && (!eager_limit || bytes > *eager_limit);
  }
  bool is_done() const { return std::ranges::all_of(ports, &PlainPort::is_done); }

  Ticks preparing(const ScriptCollective::PortStep& sent) const {
    return round_cost(sent.continues ? ExactTime{} : plan, piece,
                      sent.pieces > 1 ? sent.pieces - 1 : 0);
  }
  Ticks combining_time(const ScriptCollective::PortStep& of, std::uint64_t bytes) const {
    return round_cost(of.combinations * combining.fixed, of.combinations * combining.per_byte,
                      bytes);
  }

  void wait_at(std::size_t port, std::size_t request) {
    ports[port].request = request;
    waiting.push_back(port);
  }
  /// In the order in which ports take messages that come at one instant.
  std::vector<std::size_t> waiting_ports() const {
    std::vector<std::size_t> all = waiting;
    if (!is_in_step) {
      std::ranges::sort(all);
    }
    return all;
  }
  std::vector<std::size_t> waiting_requests() const {
    std::vector<std::size_t> requests;
    for (const std::size_t port : waiting_ports()) {
      requests.push_back(ports[port].request.value());
    }
    return requests;
  }
  /// The request that the port has waited for.
  std::size_t end_wait(std::size_t port) {
    std::erase(waiting, port);
    return *std::exchange(ports[port].request, std::nullopt);
  }

  /// Keeps a message until those of all ports have come, which then are `held`, in order of ports.
  /// Returns whether all have.
  bool hold(const PlainHeld& message) {
    held.push_back(message);
    std::ranges::sort(held, {}, &PlainHeld::port);
    return std::ranges::none_of(waiting,
                                [&](std::size_t port) { return ports[port].is_in_exchange(); });
  }

 private:
  static const ExactTime& at_ports(const ScriptCollective& of,
                                   const std::optional<ExactTime>& at_several,
                                   const ExactTime& at_one) {
    return of.ports.size() > 1 && at_several ? *at_several : at_one;
  }
};

}  // namespace dcube::testing
