#pragma once

namespace dcube::app {

/// Exit status of the program.
enum class ExitStatus {
  done = 0,
  experiment_failed = 1,
  unusable_input = 2,
  defect = 70,
  interrupted = 130
};

}  // namespace dcube::app
