#pragma once

#include <optional>

#include "dcube/search/subcubes.hpp"
#include "subcubes_options.hpp"

namespace dcube::app {

/// The file of --evaluate, if there is one; its addresses are those of tasks or of the nodes of a
/// reduction. Throws InputError.
std::optional<SubcubeMapping> load_given(const SubcubesOptions& options);

/// The tasks and the cube they are mapped to: of the options, else as `given` has them, else as
/// small as fits. Throws InputError.
SubcubeProblem load_problem(const SubcubesOptions& options,
                            const std::optional<SubcubeMapping>& given);

/// What load_given() read, checked; nodes of the copies of a reduction are put together. Throws
/// InputError.
SubcubeMapping given_mapping(const SubcubesOptions& options, const SubcubeProblem& problem,
                             const SubcubeMapping& given);

/// The mapping that --map makes of a reduction: its nodes, put together. Throws InputError.
SubcubeMapping mapping_of_map(const SubcubesOptions& options, const SubcubeProblem& problem);

}  // namespace dcube::app
