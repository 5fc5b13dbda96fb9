#pragma once

#include <string>

#include "dcube/engine/simulation.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// Summary of a run for people: where the time went first, the fingerprint last.
std::string run_summary(const Scenario& scenario, const RunResult& result);

/// Why the run took as long as it did, for people: what its critical path goes on, the chain in
/// short, why processes waited, and what a change could save at most. Needs the explanation.
std::string explanation_text(const Scenario& scenario, const RunResult& result);

/// Table of the costs of each phase of the program, and an empty line after it. Empty where phases
/// were not counted.
std::string phase_table(const Scenario& scenario, const RunResult& result);

/// Table of the critical path's time in each phase of the program, and an empty line after it.
/// Empty where its stages have no names.
std::string phases_on_path_table(const Scenario& scenario, const CriticalPath& path);

/// Why an experiment failed: a line that begins with the scenario's name, then, after a deadlock,
/// who waits for whom. Empty when it did not fail.
std::string failure_report(const Scenario& scenario, const RunReport& report);

}  // namespace dcube::app
