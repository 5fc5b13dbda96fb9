#pragma once

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// A run for columns that say something about it.
struct RunInWords {
  const Scenario& scenario;
  const RunResult& result;
};

/// Settings of a run in words. Columns that are shown say them to people, from the machine to the
/// answer; those with a key say those of the model in a result. A setting that a run does not have
/// is missing.
Columns<RunInWords> setting_columns();

}  // namespace dcube
