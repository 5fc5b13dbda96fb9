#include "subcube_annealing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/search/subcubes.hpp"
#include "partners.hpp"
#include "subcube_layout.hpp"
#include "temperature.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};
/// How often tasks are drawn until their subcubes are not parallel.
constexpr int most_draws = 10000;

void check_kind(const SubcubeProblem& problem, MappingKind kind) {
  if (kind != MappingKind::non_parallel) {
    return;
  }
  const std::uint32_t d = problem.subcube_dimensions();
  if (problem.task_count() < 2 || d == 0 || problem.cube_dimensions() - d < 2) {
    throw InputError("",
                     "every mapping is parallel (others need 2 tasks, subcubes of 1 dimension and "
                     "a cube of 2 dimensions more)");
  }
}

/// Tasks in the slots of a layout.
struct Placement {
  SubcubeLayout layout;
  std::vector<std::uint32_t> slot_of;  ///< by task
  std::vector<std::uint32_t> task_in;  ///< by slot; nobody in unused ones

  const Subcube& subcube(std::uint32_t task) const { return layout.slot(slot_of[task]); }
  SubcubeMapping mapping() const {
    SubcubeMapping mapping;
    for (const std::uint32_t slot : slot_of) {
      mapping.push_back(layout.slot(slot));
    }
    return mapping;
  }
  bool is_parallel() const {
    return std::all_of(slot_of.begin(), slot_of.end(), [&](std::uint32_t slot) {
      return are_parallel(layout.slot(slot), subcube(0));
    });
  }
};

/// Nothing when too few slots of the layout hold no node that is left out.
std::optional<Placement> random_placement(const SubcubeProblem& problem, SubcubeLayout layout,
                                          SplitMix64& random) {
  std::vector<std::uint32_t> order(layout.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t slot) {
    return !problem.left_out().empty() && !problem.may_use(layout.slot(slot));
  });
  if (order.size() < problem.task_count()) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> task_in(layout.size(), nobody);
  Placement placement{std::move(layout), {}, std::move(task_in)};
  for (std::uint32_t task = 0; task < problem.task_count(); ++task) {
    const auto left = static_cast<std::uint32_t>(order.size()) - task;
    std::swap(order[task], order[task + draw_below(random, left)]);
    placement.slot_of.push_back(order[task]);
    placement.task_in[order[task]] = task;
  }
  return placement;
}

/// How a layout that is not parallel is made.
enum class Cuts {
  everywhere,  ///< as many random cuts as there are slots, twice
  /// In a quarter of the cube a * is at another position. [TS] does not say how its non-parallel
  /// mappings are drawn; these give the figures of its Table 1.
  in_a_quarter
};

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

/// Nothing when no mapping of the kind was found.
std::optional<Placement> draw_placement(const SubcubeProblem& problem, MappingKind kind, Cuts cuts,
                                        SplitMix64& random) {
  check_kind(problem, kind);
  if (kind == MappingKind::parallel && !problem.has_parallel_mapping()) {
    return std::nullopt;
  }
  for (int draw = 0; draw < most_draws; ++draw) {
    std::optional<Placement> placement =
        random_placement(problem, random_layout(problem, kind, cuts, random), random);
    if (placement && (kind != MappingKind::non_parallel || !placement->is_parallel())) {
      return placement;
    }
  }
  return std::nullopt;
}

[[noreturn]] void complain_of_no_mapping(const SubcubeProblem& problem, MappingKind kind) {
  const std::size_t left_out = problem.left_out().size();
  if (left_out == 0) {
    throw InputError("",
                     "no mapping that is not parallel was found at random; take more tasks or a "
                     "larger cube");
  }
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

/// Of the annealing with these moves.
Cuts cuts_of(SubcubeMove move) {
  return move == SubcubeMove::reversal ? Cuts::in_a_quarter : Cuts::everywhere;
}

/// Twice the bandwidth of the messages between single partners: sum of w 2M.
using Cost = std::int64_t;

/// One annealing from one start.
class Annealing {
 public:
  Annealing(const SubcubeProblem& problem, MappingKind kind, const SubcubeAnnealing& settings,
            Placement start, SplitMix64& random)
      : problem_{problem},
        kind_{kind},
        settings_{settings},
        random_{random},
        graph_{problem.graph()},
        edges_{problem.graph(), Objective::hop_bytes},
        placement_{std::move(start)} {
    const auto flows = static_cast<double>(problem.graph().flows().size());
    hop_ = flows > 0 ? 2 * static_cast<double>(problem.graph().total_bytes()) / flows : 1;
    cost_ = cost_of_all();
    remember();
  }

  Cost cost() const { return cost_; }
  Cost best_cost() const { return best_cost_; }
  const SubcubeMapping& best() const { return best_; }
  std::uint64_t tried() const { return tried_; }

  /// The moves of one temperature.
  void stay_at(double degrees) {
    temperature_.set(degrees);
    for (std::uint32_t i = 0; i < settings_.moves; ++i) {
      ++tried_;
      if (settings_.move == SubcubeMove::reversal) {
        try_reversal();
      } else if (kind_ != MappingKind::parallel && (random_.next() & 3U) == 0) {
        try_cut();
      } else {
        try_swap();
      }
      if (cost_ < best_cost_) {
        remember();
      }
    }
  }

 private:
  std::uint32_t task_count() const { return edges_.process_count(); }

  void remember() {
    best_cost_ = cost_;
    best_ = placement_.mapping();
  }

  Cost cost_of(std::uint32_t task, const Partner& partner) const {
    return static_cast<Cost>(partner.weight) *
           Cost{twice_mean_distance(placement_.subcube(task),
                                    placement_.subcube(partner.process.index()))};
  }
  Cost cost_of_all() const {
    Cost cost = 0;
    for (const Flow& flow : graph_.flows()) {
      cost += cost_of(flow.from.index(), {flow.to, flow.bytes});
    }
    return cost;
  }
  /// The edges of both tasks; an edge between them counts once.
  Cost cost_of_two(std::uint32_t a, std::uint32_t b) const {
    Cost cost = 0;
    for (const std::uint32_t task : {a, b}) {
      if (task == nobody) {
        continue;
      }
      for (const Partner& partner : edges_.of(task)) {
        if (task == a || partner.process.index() != a) {
          cost += cost_of(task, partner);
        }
      }
    }
    return cost;
  }

  bool accepts(Cost change) {
    return temperature_.accepts(static_cast<double>(change) / hop_, random_);
  }
  bool may_use(const Subcube& subcube) const {
    return problem_.left_out().empty() || problem_.may_use(subcube);
  }
  bool is_of_kind() const {
    return kind_ != MappingKind::non_parallel || !placement_.is_parallel();
  }

  void swap_slots(std::uint32_t a, std::uint32_t b) {
    std::swap(placement_.task_in[a], placement_.task_in[b]);
    for (const std::uint32_t slot : {a, b}) {
      if (placement_.task_in[slot] != nobody) {
        placement_.slot_of[placement_.task_in[slot]] = slot;
      }
    }
  }

  void try_swap() {
    const std::uint32_t task = draw_below(random_, task_count());
    const std::uint32_t from = placement_.slot_of[task];
    if (placement_.layout.size() == 1) {
      return;
    }
    const std::uint32_t step = 1 + draw_below(random_, placement_.layout.size() - 1);
    const std::uint32_t to = (from + step) % placement_.layout.size();
    const std::uint32_t other = placement_.task_in[to];
    if (!may_use(placement_.layout.slot(to))) {
      return;
    }
    const Cost before = cost_of_two(task, other);
    swap_slots(from, to);
    const Cost change = cost_of_two(task, other) - before;
    if (is_of_kind() && accepts(change)) {
      cost_ += change;
    } else {
      swap_slots(from, to);
    }
  }

  void try_cut() {
    const auto cut = placement_.layout.random_cut(random_);
    if (!cut) {
      return;
    }
    const std::uint32_t a = placement_.task_in[cut->first];
    const std::uint32_t b = placement_.task_in[cut->second];
    if ((a != nobody && !may_use(cut->new_first)) || (b != nobody && !may_use(cut->new_second))) {
      return;
    }
    const Cost before = cost_of_two(a, b);
    const SubcubeLayout::Cut undo = placement_.layout.apply(*cut);
    const Cost change = cost_of_two(a, b) - before;
    if (is_of_kind() && accepts(change)) {
      cost_ += change;
    } else {
      placement_.layout.apply(undo);
    }
  }

  void reverse(std::uint32_t first, std::uint32_t last) {
    for (; first < last; ++first, --last) {
      swap_slots(placement_.slot_of[first], placement_.slot_of[last]);
    }
  }

  void try_reversal() {
    if (task_count() < 2) {
      return;
    }
    std::uint32_t first = draw_below(random_, task_count());
    std::uint32_t last = draw_below(random_, task_count() - 1);
    last += last >= first ? 1 : 0;
    std::tie(first, last) = std::pair{std::min(first, last), std::max(first, last)};
    reverse(first, last);
    const Cost cost = cost_of_all();
    if (accepts(cost - cost_)) {
      cost_ = cost;
    } else {
      reverse(first, last);
    }
  }

  const SubcubeProblem& problem_;
  MappingKind kind_;
  const SubcubeAnnealing& settings_;
  SplitMix64& random_;
  const Traffic& graph_;
  Partners edges_;  ///< of tasks
  Placement placement_;
  Temperature temperature_;
  double hop_ = 1;  ///< what one more hop costs a message of average weight
  Cost cost_ = 0;
  Cost best_cost_ = 0;
  SubcubeMapping best_;
  std::uint64_t tried_ = 0;
};

/// The best of several searches.
class Best {
 public:
  explicit Best(const SubcubeProblem& problem) : problem_{problem} {}

  void take(SubcubeMapping mapping) {
    const std::uint64_t found = dcube::bandwidth(problem_, mapping);
    if (result_.mapping.empty()) {
      result_.start_bandwidth = found;
    }
    if (result_.mapping.empty() || found < result_.bandwidth) {
      result_.bandwidth = found;
      result_.mapping = std::move(mapping);
    }
  }
  SubcubeSearchResult& result() { return result_; }

 private:
  const SubcubeProblem& problem_;
  SubcubeSearchResult result_;
};

/// In a cube much larger than the tasks need, annealing finds poor mappings. So later restarts stay
/// in a part of it: first the smallest cube that fits, then one dimension more each time.
SubcubeProblem part_of(const SubcubeProblem& problem, MappingKind kind,
                       const SubcubeAnnealing& annealing, std::uint32_t restart) {
  if (restart == 0 || annealing.move == SubcubeMove::reversal) {
    return problem;
  }
  const std::uint32_t slots =
      std::max<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(problem.task_count() - 1)),
                              kind == MappingKind::non_parallel ? 2 : 1);
  const std::uint32_t dimensions = problem.subcube_dimensions() + slots + (restart - 1);
  if (dimensions >= problem.cube_dimensions()) {
    return problem;
  }
  const NodeId end{std::uint32_t{1} << dimensions};
  const auto inside = problem.left_out().first(static_cast<std::size_t>(
      std::ranges::lower_bound(problem.left_out(), end) - problem.left_out().begin()));
  const std::uint64_t needed = std::uint64_t{problem.task_count()} << problem.subcube_dimensions();
  if (needed + inside.size() > end.index()) {
    return problem;
  }
  return {problem.graph(), problem.subcube_dimensions(), dimensions,
          std::vector<NodeId>{inside.begin(), inside.end()}};
}

/// The same subcubes as a part of the problem's cube.
SubcubeMapping widened(const SubcubeMapping& mapping, const SubcubeProblem& problem) {
  SubcubeMapping wide;
  wide.reserve(mapping.size());
  for (const Subcube& subcube : mapping) {
    wide.emplace_back(problem.cube_dimensions(), subcube.stars(), subcube.bits());
  }
  return wide;
}

}  // namespace

SubcubeAnnealing SubcubeAnnealing::published() {
  SubcubeAnnealing annealing;
  annealing.move = SubcubeMove::reversal;
  return annealing;
}

SubcubeAnnealing SubcubeAnnealing::thorough(const SubcubeProblem& problem) {
  SubcubeAnnealing annealing;
  annealing.moves = 96 * problem.task_count();
  annealing.restarts = 4;
  return annealing;
}

std::optional<SubcubeMapping> draw_mapping(const SubcubeProblem& problem, MappingKind kind,
                                           SplitMix64& random) {
  const auto placement = draw_placement(problem, kind, Cuts::everywhere, random);
  return placement ? std::optional{placement->mapping()} : std::nullopt;
}

SubcubeMapping random_mapping(const SubcubeProblem& problem, MappingKind kind, SplitMix64& random) {
  if (std::optional<SubcubeMapping> mapping = draw_mapping(problem, kind, random)) {
    return std::move(*mapping);
  }
  complain_of_no_mapping(problem, kind);
}

SubcubeSearchResult anneal_subcubes(const SubcubeProblem& problem, MappingKind kind,
                                    const SubcubeAnnealing& annealing, std::uint64_t seed,
                                    const SubcubeSearchProgress& progress) {
  if (auto result = try_to_anneal(problem, kind, annealing, seed, progress)) {
    return std::move(*result);
  }
  complain_of_no_mapping(problem, kind);
}

std::optional<SubcubeSearchResult> try_to_anneal(const SubcubeProblem& problem, MappingKind kind,
                                                 const SubcubeAnnealing& annealing,
                                                 std::uint64_t seed,
                                                 const SubcubeSearchProgress& progress) {
  expects(annealing.start > 0 && annealing.stop > 0 && annealing.cooling > 0 &&
              annealing.cooling < 1 && annealing.moves > 0 && annealing.restarts > 0,
          "the schedule of annealing ends");
  Best best{problem};
  std::vector<double> temperatures;
  for (double degrees = annealing.start; degrees > annealing.stop; degrees *= annealing.cooling) {
    temperatures.push_back(degrees);
  }
  const double all = static_cast<double>(temperatures.size()) * annealing.restarts;
  double done = 0;
  for (std::uint32_t restart = 0; restart < annealing.restarts; ++restart) {
    SplitMix64 random{hash_of(seed, restart)};
    const SubcubeProblem part = part_of(problem, kind, annealing, restart);
    std::optional<Placement> start = draw_placement(part, kind, cuts_of(annealing.move), random);
    if (!start && restart == 0) {
      return std::nullopt;
    }
    if (!start) {  // the nodes left out leave no room in this part of the cube
      done += static_cast<double>(temperatures.size());
      continue;
    }
    Annealing run{part, kind, annealing, std::move(*start), random};
    best.take(widened(run.best(), problem));
    const std::uint64_t so_far = best.result().bandwidth;
    for (const double degrees : temperatures) {
      run.stay_at(degrees);
      done += 1;
      const auto found =
          (static_cast<std::uint64_t>(run.best_cost()) << problem.subcube_dimensions()) / 2;
      if (progress && !progress({done / all, std::min(so_far, found)})) {
        best.result().is_complete = false;
        break;
      }
    }
    best.take(widened(run.best(), problem));
    best.result().tried += run.tried();
    if (!best.result().is_complete) {
      break;
    }
  }
  return std::move(best.result());
}

SubcubeSearchResult best_random_mapping(const SubcubeProblem& problem, MappingKind kind,
                                        std::uint64_t count, std::uint64_t seed,
                                        const SubcubeSearchProgress& progress) {
  expects(count > 0, "a mapping is drawn");
  Best best{problem};
  for (std::uint64_t i = 0; i < count; ++i) {
    SplitMix64 random{hash_of(seed, i)};
    best.take(random_mapping(problem, kind, random));
    best.result().tried += 1;
    const double done = static_cast<double>(i + 1) / static_cast<double>(count);
    if (progress && !progress({done, best.result().bandwidth})) {
      best.result().is_complete = i + 1 == count;
      break;
    }
  }
  return std::move(best.result());
}

}  // namespace dcube
