#include "graph_schedule.hpp"

namespace dcube {

GraphCosts::GraphCosts(const EndpointModel& endpoint)
    : endpoint_{endpoint}, overhead_{endpoint.send.of(0)} {
  known_.fill({0, cost(endpoint.send, 0), receive(0), cost(endpoint.gap, 0)});
}

Ticks GraphCosts::receive(std::uint64_t bytes) const {
  const Ticks of_cpu = cost(endpoint_.receive, bytes);
  const Ticks of_interface = cost({endpoint_.receive.fixed, endpoint_.gap.per_byte}, bytes);
  return std::max(of_cpu, of_interface);
}

GraphSchedule::GraphSchedule(const Schedule& of, const EndpointModel& endpoint, Ticks least)
    : schedule{of},
      costs{endpoint},
      least_transfer{least},
      arrivals(of.processes.size(), 0),
      coming(of.processes.size()),
      ends(of.processes.size(), Ticks{0}) {
  nodes.reserve(of.operation_count());
  for (const std::vector<Operation>& process : of.processes) {
    for (const Operation& operation : process) {
      has_one_cpu = has_one_cpu && operation.cpu == 0;
      if (operation.kind == Operation::Kind::send) {
        has_rendezvous = has_rendezvous || costs.is_rendezvous(operation.amount);
        ++arrivals[operation.peer.index()];
      }
    }
  }
}

}  // namespace dcube
