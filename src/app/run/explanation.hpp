#pragma once

#include <string>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// Why the run took as long as it did, for people: what its critical path goes on, the chain in
/// short, why processes waited, and what a change could save at most. Needs the explanation.
std::string explanation_text(const Scenario& scenario, const RunResult& result);

}  // namespace dcube::app
