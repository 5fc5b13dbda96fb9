#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "dcube/runs/cases.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube {

/// The figures of a run that has ended by itself, without its number and key.
RunRecord record_of(const Scenario& scenario, const RunReport& report);

/// Those of a run of the scenario in this process; see run_scenario().
RunRecord run_record(Scenario& scenario, RunProgress progress = {});

/// Record of a run that `make` makes in this process. A complaint of `make` makes it `refused`,
/// with the reason.
RunRecord made_record(const Cases& cases, std::size_t run, const std::function<RunRecord()>& make);

/// A run that did not end by itself.
RunRecord failed_run(const Cases& cases, std::size_t run, Outcome outcome, std::string problem);

}  // namespace dcube
