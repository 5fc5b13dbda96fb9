#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "draw.hpp"

namespace dcube::testing {

/// A few units, so that sums of different costs often meet at one instant.
TransferCost random_cost(Draw& draw, Ticks unit = Ticks{1});

/// All that a machine file may say of an endpoint. Its times are up to 19 units, its sizes a few
/// times `bytes`.
EndpointModel random_endpoint(Draw& draw, Ticks unit = Ticks{1}, std::uint32_t bytes = 1);

/// The same as the key `endpoint` of a machine file. All times must be whole picoseconds.
std::string endpoint_json(const EndpointModel& endpoint);

/// Numbers that a call names and does not hold.
struct CallNumbers {
  std::vector<std::uint64_t> shares{};                 ///< [rank], if unequal
  std::vector<std::vector<std::uint64_t>> sent{};      ///< [rank][partner] of an all_to_allv
  std::vector<std::vector<std::uint64_t>> received{};  ///< [rank][partner]
  std::vector<std::uint32_t> twist{};
};

struct RandomCall {
  CollectiveCall call;
  std::shared_ptr<const CallNumbers> numbers;

  /// What that process gives.
  CollectiveCall of(std::uint32_t rank) const;
};

/// A small collective of so many processes, by any algorithm that can do it, with all options. Its
/// sizes are a few times `bytes`.
RandomCall random_call(Draw& draw, std::uint32_t size, std::uint32_t bytes = 1);

/// As the program `collective` of a scenario, which has as many bytes, in shares of its own. No
/// all_to_allv.
std::string call_json(const RandomCall& random, std::uint32_t size);

/// Calls `change` with each cost of a link, and of injection.
template <class Change>
void for_each_cost_of_links(LinkModel& links, Change change) {
  for (TransferCost& cost : links.per_dimension) {
    change(cost);
  }
  for (auto& [link, cost] : links.overrides) {
    change(cost);
  }
  for (std::optional<TransferCost>* const passing : {&links.injection.out, &links.injection.in}) {
    if (*passing) {
      change(**passing);
    }
  }
}

/// Calls `change` with each time that messages cost.
template <class Change>
void for_each_cost_of_messages(Machine& machine, Change change) {
  const auto of_message = [&change](TransferCost& cost) {
    change(cost.fixed);
    change(cost.per_byte);
  };
  for_each_cost_of_links(machine.links, of_message);
  of_message(machine.node.local);
  of_message(machine.endpoint.send);
  of_message(machine.endpoint.receive);
  for (EndpointStep& step : machine.endpoint.larger) {
    of_message(step.send);
    of_message(step.receive);
  }
}

/// Calls `change` with each time that collectives cost besides their messages.
template <class Change>
void for_each_cost_of_collectives(EndpointModel& endpoint, Change change) {
  for (ExactTime* const time :
       {&endpoint.call, &endpoint.call_per_port, &endpoint.combine, &endpoint.combine_per_byte,
        &endpoint.copy_per_byte, &endpoint.plan, &endpoint.piece, &endpoint.exchange}) {
    change(*time);
  }
  SeveralPorts& several = endpoint.several_ports;
  for (std::optional<ExactTime>* const time :
       {&several.combine, &several.combine_per_byte, &several.copy_per_byte, &several.plan}) {
    if (*time) {
      change(**time);
    }
  }
}

}  // namespace dcube::testing
