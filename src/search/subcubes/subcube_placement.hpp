#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/search/subcubes.hpp"
#include "subcube_layout.hpp"

namespace dcube {

/// Tasks in the slots of a layout.
struct SubcubePlacement {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  SubcubeLayout layout;
  std::vector<std::uint32_t> slot_of;  ///< by task
  std::vector<std::uint32_t> task_in;  ///< by slot; nobody in unused ones

  const Subcube& subcube(std::uint32_t task) const { return layout.slot(slot_of[task]); }
  SubcubeMapping mapping() const {
    return mapped(slot_of, [&](std::uint32_t slot) { return layout.slot(slot); });
  }
  bool is_parallel() const {
    return std::ranges::all_of(
        slot_of, [&](std::uint32_t slot) { return are_parallel(layout.slot(slot), subcube(0)); });
  }
};

/// Way to make a layout that is not parallel.
enum class Cuts {
  everywhere,  ///< as many random cuts as there are slots, twice
  /// In a quarter of the cube a * is at another position. [TS] does not say how its non-parallel
  /// mappings are drawn; these give the figures of its Table 1.
  in_a_quarter
};

/// Tasks in random slots of a random layout. Nothing when no mapping of the kind was found; throws
/// InputError when none exists whatever nodes are left out.
std::optional<SubcubePlacement> draw_placement(const SubcubeProblem& problem, MappingKind kind,
                                               Cuts cuts, SplitMix64& random);

/// Throws the error for a mapping that was not found.
[[noreturn]] void complain_of_no_mapping(const SubcubeProblem& problem, MappingKind kind);

/// anneal_subcubes(), or nothing when no mapping of the kind is drawn to begin with.
std::optional<SubcubeSearchResult> try_to_anneal(const SubcubeProblem& problem, MappingKind kind,
                                                 const SubcubeAnnealing& annealing,
                                                 std::uint64_t seed,
                                                 const SubcubeSearchProgress& progress);

}  // namespace dcube
