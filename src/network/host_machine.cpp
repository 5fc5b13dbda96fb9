#include "dcube/network/host_machine.hpp"

#include "dcube/core/errors.hpp"
#include "dcube/topology/with_host.hpp"

namespace dcube {

Machine machine_with_host(const Machine& machine) {
  expects(machine.host.has_value(), "the machine has a host computer");
  Machine extended = machine;
  extended.topology = with_host(machine.topology, machine.host->attached_to);
  extended.links.per_dimension.push_back(machine.host->link);
  for (Fault& fault : extended.links.faults) {
    fault.left = with_host(fault.left, machine.host->attached_to);
  }
  return extended;
}

}  // namespace dcube
