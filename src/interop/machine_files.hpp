#pragma once

#include "dcube/interop/machine_files.hpp"

// One reader per format of machines, each in a file of its name.

namespace dcube {

extern const MachineFormat astra_sim_machines;
extern const MachineFormat htsim_machines;

/// A machine that cuts through. `classes`: costs of classes of links.
Params network_document_of(Params topology, Params classes);

}  // namespace dcube
