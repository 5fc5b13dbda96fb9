#pragma once

#include <string>

#include "simulated_program.hpp"

namespace dcube::testing {

/// A CC d-cube run on a machine with hops of 1 s. Times are in seconds, as in papers.
struct CcRun : SimulatedProgram {
  CcRun(const std::string& topology, const std::string& embedding, const std::string& settings = "")
      : SimulatedProgram{topology, embedding, settings_of_kind("cc_dcube", settings)} {}

  double makespan() const { return to_seconds(run().makespan); }
  double theory() const { return to_seconds(SimulatedProgram::theory()); }
};

}  // namespace dcube::testing
