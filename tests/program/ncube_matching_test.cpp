// The run times of [N Fig 10, 12], on the machine fitted to them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "dcube/scenario/machines.hpp"
#include "matching_runs.hpp"
#include "ncube_matching_figures.hpp"

namespace dcube::testing {
namespace {

/// The fitted machine with as many nodes as processes.
Machine ncube(std::uint32_t processes) {
  Machine machine = *load_machine("ncube10-64-matching");
  const auto dimensions = static_cast<std::uint32_t>(std::countr_zero(processes));
  machine.topology =
      make_topology(Params::parse(fmt::format("kind=hypercube,dimensions={}", dimensions)));
  machine.links.per_dimension.resize(dimensions);
  return machine;
}

struct Errors {
  double greatest = 0;
  double mean = 0;
};

/// Relative errors of the simulated times.
Errors errors_of(std::span<const MeasuredMatching> figures, const std::string& settings) {
  Errors errors;
  for (const MeasuredMatching& figure : figures) {
    const std::string size = fmt::format("size={},template_size={}", figure.image, figure.pattern);
    const MatchingRun run{ncube(figure.processes), size + "," + settings, "gray"};
    const double simulated = to_seconds(run.run().makespan);
    const double error = simulated / figure.seconds - 1;
    ::testing::Test::RecordProperty(
        fmt::format("p{}_n{}_m{}", figure.processes, figure.image, figure.pattern),
        fmt::format("{:.4f} s, {:+.2f} %", simulated, 100 * error));
    errors.greatest = std::max(errors.greatest, std::abs(error));
    errors.mean += std::abs(error) / static_cast<double>(figures.size());
  }
  return errors;
}

TEST(NcubeMatching, Figure10) {
  const Errors errors = errors_of(figure_10, "variant=overlap,skip_northwest_quarter=true");
  EXPECT_LT(errors.greatest, 0.018);
  EXPECT_LT(errors.mean, 0.009);
}

TEST(NcubeMatching, Figure10NeedsTheQuarterLeftOut) {
  const Errors errors = errors_of(figure_10, "variant=overlap");
  EXPECT_GT(errors.greatest, 0.2);
}

TEST(NcubeMatching, Figure12ProgramOfFigure11) {
  const Errors errors = errors_of(figure_12_borders, "variant=replicated_borders,host=true");
  EXPECT_LT(errors.greatest, 0.015);
}

TEST(NcubeMatching, Figure12ProgramOfFigure8) {
  const Errors errors =
      errors_of(figure_12_overlap,
                "variant=overlap,skip_northwest_quarter=true,host=true,host_sends_borders=true");
  EXPECT_LT(errors.greatest, 0.1);
}

}  // namespace
}  // namespace dcube::testing
