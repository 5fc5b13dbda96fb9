#pragma once

// The second implementation of the engine, which all random cases are compared with. Its parts,
// each over the ones before: ways, network, matching (messages), collective, actors, computing,
// ports_with_cores, collectives, requests, simulator (processes).

#include "support/history.hpp"
#include "support/script.hpp"

namespace dcube::testing {

/// Simulates by the contract's rules word for word, one instant at a time: searches link queues for
/// the first by (arrival, source, send number), compares receives and messages one by one, wakes
/// processes at every step. Slow, and shares no code with the engine.
History simulate_plainly(const ScriptCase& scripted);

}  // namespace dcube::testing
