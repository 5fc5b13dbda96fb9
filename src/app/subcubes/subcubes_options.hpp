#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/runs/runs_options.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube::app {

/// The command line of `dcube subcubes`.
struct SubcubesOptions {
  std::string graph;
  std::string random;
  std::string traffic;
  std::optional<std::uint32_t> dimensions;
  std::optional<std::uint32_t> subcube;
  std::string method = "annealing";
  bool parallel = false;
  bool non_parallel = false;
  bool any = false;
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> restarts;
  std::optional<std::uint32_t> moves;
  std::string evaluate;
  std::string map;
  std::string hosts;
  OutputOptions outputs;
  std::optional<std::uint32_t> simulate;
  std::string machine;
  RunsOptions runs;
  std::vector<std::string> pair;
  bool conjecture = false;
  DisplayOptions display;
};

void add_subcubes_options(Parser& parser, SubcubesOptions& options);

/// Throws InputError for options that would be left unused without a word.
void check_subcubes_options(const SubcubesOptions& options);

/// The kind that --parallel, --non-parallel and --any choose. Throws InputError.
MappingKind kind_of(const SubcubesOptions& options);

/// The file of --evaluate, if there is one; its addresses are those of tasks or of the nodes of a
/// reduction. Throws InputError.
std::optional<SubcubeMapping> load_given(const SubcubesOptions& options);

/// The tasks and the cube they are mapped to: of the options, else as `given` has them, else as
/// small as fits. Leaves out the nodes on which the machine hosts nothing. Throws InputError.
SubcubeProblem load_problem(const SubcubesOptions& options,
                            const std::optional<SubcubeMapping>& given);

/// The mapping that load_given() read, checked; nodes of the copies of a reduction are put
/// together. Throws InputError.
SubcubeMapping given_mapping(const SubcubesOptions& options, const SubcubeProblem& problem,
                             const SubcubeMapping& given);

/// The mapping that --map makes of a reduction: its nodes, put together. Throws InputError.
SubcubeMapping mapping_of_map(const SubcubesOptions& options, const SubcubeProblem& problem);

}  // namespace dcube::app
