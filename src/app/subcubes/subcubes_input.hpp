#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/search/subcubes.hpp"

namespace dcube::app {

/// The command line of `dcube subcubes`.
struct SubcubesOptions {
  std::string graph;
  std::string random;
  std::string traffic;
  std::string dimensions;
  std::string subcube;
  std::string method = "annealing";
  bool parallel = false;
  bool non_parallel = false;
  bool any = false;
  std::string seed = "0";
  std::string restarts;
  std::string moves;
  std::string evaluate;
  std::string output;
  std::string scenario;
  std::string reduction;
  std::string simulate;
  std::string machine;
  std::string jobs;
  std::vector<std::string> pair;
  bool conjecture = false;
  bool json = false;
  bool full = false;
};

/// A number of dimensions that an option gives. Throws InputError that names it.
std::uint32_t dimensions_option(std::string_view option, const std::string& text);

/// What --parallel, --non-parallel and --any choose. Throws InputError.
MappingKind kind_of(const SubcubesOptions& options);

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

}  // namespace dcube::app
