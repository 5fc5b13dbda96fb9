#pragma once

#include <string>

#include "dcube/engine/simulation.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// Summary of a run for people: where the time went first, the fingerprint last.
std::string run_summary(const Scenario& scenario, const RunResult& result);

/// Why an experiment failed: a line that begins with the scenario's name, then, after a deadlock,
/// who waits for whom. Empty when it did not fail.
std::string failure_report(const Scenario& scenario, const RunReport& report);

}  // namespace dcube::app
