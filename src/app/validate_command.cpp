#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/run/run_outputs.hpp"
#include "app/terminal/output.hpp"
#include "command.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/runs/study.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/validation.hpp"

namespace dcube::app {
namespace {

/// Names by DocumentKind.
constexpr std::array kind_names{"machine", "scenario", "file of experiments", "task graph"};

struct ValidateOptions {
  std::vector<std::string> files;
  ScenarioRequest scenario;  ///< how each of the files, which are scenarios then, is changed
  DisplayOptions display;
};

/// Makes the checks that `dcube run` makes before it simulates.
void check_run(const Scenario& scenario) {
  OutputPlan plan;
  plan.reads(scenario.inputs);
  plan_program_output(scenario, "", plan);
  at_least_at(scenario.source, [&] { expect_fits_in_memory(run_size(scenario)); });
}

/// "scenario".
const char* validated(const std::string& file, ScenarioRequest options) {
  if (!options.change_something()) {
    if (is_study_file(find_scenario(file))) {
      Study{load_study_plan(file)};
      return "study";
    }
    const DocumentKind kind = validate_document(find_scenario(file), check_run);
    return kind_names.at(static_cast<std::size_t>(kind));
  }
  options.file = file;
  check_run(load(options));
  return "scenario";
}

ExitStatus validate(const ValidateOptions& options) {
  ExitStatus status = ExitStatus::done;
  for (const std::string& file : options.files) {
    try {
      const char* const kind = validated(file, options.scenario);
      if (!options.display.quiet) {
        print(fmt::format("{}: valid {}\n", printable(file), kind));
      }
    } catch (const InputError& error) {
      complain(error.what());
      status = ExitStatus::unusable_input;
    }
  }
  return status;
}

}  // namespace

void validate_command(CommandLine& line) {
  auto [parser, options] = line.add<ValidateOptions>(
      "validate", "Check machine, scenario, study, experiments and task graph files", validate);
  parser.argument("FILE", options->files, "files to check").required().reads_file();
  add_scenario_changes(parser, options->scenario);
  add_quiet_option(parser, options->display);
  parser.examples(
      "dcube validate scenarios/quickstart.json platforms/unit-ring-8.json\n"
      "dcube validate scenarios/quickstart.json --set /machine=torus:4x4 --embedding xor");
}

}  // namespace dcube::app
