#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/trace/trace.hpp"

namespace dcube::app {

/// Files that the command line asks a run to write.
struct RunOutputs {
  std::vector<std::filesystem::path> results;
  std::vector<TraceTarget> traces;
  std::vector<TrafficFile> traffic;
  std::vector<NamedOutput> programs;  ///< scenarios of the same program in another form
};

/// Adds -o, --write and their old spellings.
void add_run_outputs(Parser& parser, OutputOptions& options);

/// Tells the plan the files to write. A file that the program is to write becomes a setting of the
/// scenario. Throws InputError.
RunOutputs plan_run_outputs(const OutputOptions& options, ScenarioRequest& scenario,
                            OutputPlan& plan);

/// Throws the complaint about the program's output at the option that has named it, if one has.
void refuse_program_output(const OutputOptions& options, const InputError& complaint);

/// Keeps the scenarios with their programs as a pattern or as Chakra traces, which stand beside.
/// Throws InputError where the program is no pattern.
void put_programs(const RunOutputs& outputs, const Scenario& scenario, OutputPlan& plan);

/// The file that the program is going to write, if there is one; told to the plan. On the command
/// line it may have any name. A scenario, which may come from somebody else, only names files below
/// `folder`. Throws InputError.
std::optional<std::filesystem::path> plan_program_output(const Scenario& scenario,
                                                         const std::filesystem::path& folder,
                                                         OutputPlan& plan);

}  // namespace dcube::app
