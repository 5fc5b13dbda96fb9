#include "dcube/scenario/run.hpp"

namespace dcube {

RunSize run_size(const Scenario& scenario) {
  const Setting* const compute = scenario.program_settings.find("compute");
  const bool is_drawn = compute != nullptr && compute->group() != nullptr;
  return {
      .machine = *scenario.run_machine,
      .processes =
          scenario.program->guest().process_count() + (scenario.program->uses_host() ? 1 : 0),
      .execution = scenario.execution,
      .times = scenario.jitter.part > 0 || is_drawn ? ComputeTimes::varied : ComputeTimes::alike,
      .data_bytes = scenario.program->data_bytes()};
}

}  // namespace dcube
