#include "dcube/questions/compare.hpp"

#include "comparison_runs.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/runs/run_cases.hpp"

namespace dcube {

Comparison compare(const CompareRequest& request, const SimulationLimits& limits) {
  const InterruptWatch interrupt;  // building many scenarios takes its time, too
  ComparisonRuns runs{request};
  for (const auto& record : run_cases(runs.cases(), limits).records) {
    if (record) {
      runs.take(*record);
    }
  }
  return runs.comparison();
}

}  // namespace dcube
