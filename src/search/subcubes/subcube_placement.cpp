#include "subcube_placement.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Limit of draws until subcubes are not parallel.
constexpr int most_draws = 10000;

/// Tasks in random slots; nothing when too few slots are free of left-out nodes.
std::optional<SubcubePlacement> random_placement(const SubcubeProblem& problem,
                                                 SubcubeLayout layout, SplitMix64& random) {
  std::vector<std::uint32_t> order = kept(numbered(layout.size()), [&](std::uint32_t slot) {
    return problem.left_out().empty() || problem.may_use(layout.slot(slot));
  });
  if (order.size() < problem.task_count()) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> task_in(layout.size(), SubcubePlacement::nobody);
  SubcubePlacement placement{std::move(layout), {}, std::move(task_in)};
  for (std::uint32_t task = 0; task < problem.task_count(); ++task) {
    const auto left = static_cast<std::uint32_t>(order.size()) - task;
    std::swap(order[task], order[task + draw_below(random, left)]);
    placement.slot_of.push_back(order[task]);
    placement.task_in[order[task]] = task;
  }
  return placement;
}

/// The positions of *, so that every parallel mapping that avoids the nodes left out is as likely.
std::uint32_t random_stars(const SubcubeProblem& problem, SplitMix64& random) {
  const std::span<const SubcubeProblem::Parallel> all = problem.parallel();
  const std::uint32_t most =
      std::ranges::max_element(all, {}, &SubcubeProblem::Parallel::room)->room;
  // As many mappings as ways to put the tasks into the slots, in parts of the most.
  std::vector<double> shares;
  shares.reserve(all.size());
  double sum = 0;
  for (const SubcubeProblem::Parallel& parallel : all) {
    double share = 1;
    for (std::uint32_t task = 0; task < problem.task_count(); ++task) {
      share *= static_cast<double>(parallel.room - task) / static_cast<double>(most - task);
    }
    sum += share;
    shares.push_back(sum);
  }
  const auto drawn = std::ranges::upper_bound(shares, draw_unit(random) * sum);
  return all[static_cast<std::size_t>(std::min(drawn, shares.end() - 1) - shares.begin())].stars;
}

SubcubeLayout random_layout(const SubcubeProblem& problem, MappingKind kind, Cuts cuts,
                            SplitMix64& random) {
  const std::uint32_t n = problem.cube_dimensions();
  const std::uint32_t d = problem.subcube_dimensions();
  SubcubeLayout layout = kind == MappingKind::parallel && !problem.left_out().empty()
                             ? SubcubeLayout{n, random_stars(problem, random)}
                             : SubcubeLayout::random_parallel(n, d, random);
  if (kind != MappingKind::parallel && cuts == Cuts::everywhere) {
    layout.cut_at_random(2 * layout.size(), random);
  } else if (kind == MappingKind::non_parallel) {
    layout.cut_part(std::min(2U, n - d - 1));
  }
  return layout;
}

}  // namespace

std::optional<SubcubePlacement> draw_placement(const SubcubeProblem& problem, MappingKind kind,
                                               Cuts cuts, SplitMix64& random) {
  const std::uint32_t d = problem.subcube_dimensions();
  refuse_if(kind == MappingKind::non_parallel &&
                (problem.task_count() < 2 || d == 0 || problem.cube_dimensions() - d < 2),
            "",
            "every mapping is parallel (others need 2 tasks, subcubes of 1 dimension and a cube of "
            "2 dimensions more)");
  if (kind == MappingKind::parallel && !problem.has_parallel_mapping()) {
    return std::nullopt;
  }
  for (int draw = 0; draw < most_draws; ++draw) {
    std::optional<SubcubePlacement> placement =
        random_placement(problem, random_layout(problem, kind, cuts, random), random);
    if (placement && (kind != MappingKind::non_parallel || !placement->is_parallel())) {
      return placement;
    }
  }
  return std::nullopt;
}

[[noreturn]] void complain_of_no_mapping(const SubcubeProblem& problem, MappingKind kind) {
  const std::size_t left_out = problem.left_out().size();
  refuse_if(left_out == 0, "",
            "no mapping that is not parallel was found at random; take more tasks or a "
            "larger cube");
  throw InputError(
      "", fmt::format(
              "no {}mapping of {} tasks to {}-cubes {} that leaves out the {} of {} nodes "
              "of a {}-cube that have failed or are kept free; take a larger cube or {}",
              kind == MappingKind::parallel       ? "parallel "
              : kind == MappingKind::non_parallel ? "non-parallel "
                                                  : "",
              problem.task_count(), problem.subcube_dimensions(),
              kind == MappingKind::parallel ? "exists" : "was found at random", left_out,
              std::uint64_t{1} << problem.cube_dimensions(), problem.cube_dimensions(),
              kind == MappingKind::parallel ? "mappings of any kind" : "the exhaustive method"));
}

}  // namespace dcube
