#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/subcubes.hpp"
#include "search/walks/temperature.hpp"
#include "subcube_placement.hpp"

namespace dcube {
namespace {

/// Twice the bandwidth of the messages between single partners: sum of w 2M.
using Cost = std::int64_t;

/// 2 M between the slots of a layout: a table, unless there are too many of them.
class SlotDistances {
 public:
  /// Keeps a reference to the layout.
  explicit SlotDistances(const SubcubeLayout& layout) : layout_{layout} {
    constexpr std::uint32_t most_slots = 256;
    if (layout.size() <= most_slots) {
      twice_mean_.resize(std::size_t{layout.size()} * layout.size());
      for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        update(slot);
      }
    }
  }
  std::uint32_t between(std::uint32_t a, std::uint32_t b) const {
    return twice_mean_.empty() ? twice_mean_distance(layout_.slot(a), layout_.slot(b))
                               : twice_mean_[std::size_t{a} * layout_.size() + b];
  }
  /// `use(between)`, with a `between` that does not look for the table each time: for long loops.
  template <class Use>
  auto with(Use use) const {
    if (twice_mean_.empty()) {
      return use([this](std::uint32_t a, std::uint32_t b) { return between(a, b); });
    }
    return use(
        [table = twice_mean_.data(), size = std::size_t{layout_.size()}](
            std::uint32_t a, std::uint32_t b) -> std::uint32_t { return table[a * size + b]; });
  }
  /// Updates the distances of a slot that a cut has changed.
  void update(std::uint32_t slot) {
    if (twice_mean_.empty()) {
      return;
    }
    const std::size_t size = layout_.size();
    for (std::uint32_t other = 0; other < size; ++other) {
      const auto distance =
          static_cast<std::uint8_t>(twice_mean_distance(layout_.slot(slot), layout_.slot(other)));
      twice_mean_[slot * size + other] = distance;
      twice_mean_[other * size + slot] = distance;
    }
  }

 private:
  const SubcubeLayout& layout_;
  std::vector<std::uint8_t> twice_mean_;  ///< by both slots; at most twice the cube's 31 dimensions
};

class Annealing {
 public:
  Annealing(const SubcubeProblem& problem, MappingKind kind, const SubcubeAnnealing& settings,
            SubcubePlacement start, SplitMix64& random)
      : problem_{problem},
        kind_{kind},
        settings_{settings},
        random_{random},
        graph_{problem.graph()},
        edges_{problem.graph(), FlowWeight::bytes},
        placement_{std::move(start)},
        distances_{placement_.layout} {
    const auto flows = static_cast<double>(problem.graph().flows().size());
    hop_ = flows > 0 ? 2 * static_cast<double>(problem.graph().total_bytes()) / flows : 1;
    cost_ = cost_of_all();
    remember();
  }

  Cost cost() const { return cost_; }
  Cost best_cost() const { return best_cost_; }
  const SubcubeMapping& best() const { return best_; }
  std::uint64_t tried() const { return tried_; }

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

  Cost cost_of_all() const {
    return distances_.with([this, slot_of = placement_.slot_of.data()](const auto& between) {
      Cost cost = 0;
      for (const Flow& flow : graph_.flows()) {
        cost += static_cast<Cost>(flow.bytes) *
                Cost{between(slot_of[flow.from.index()], slot_of[flow.to.index()])};
      }
      return cost;
    });
  }
  /// The edges of both tasks; an edge between them counts once.
  template <typename Distance>
  Cost cost_of_two(std::uint32_t a, std::uint32_t b, const Distance& distance) const {
    Cost cost = 0;
    for (const std::uint32_t task : {a, b}) {
      if (task == SubcubePlacement::nobody) {
        continue;
      }
      for (const Partner& partner : edges_.of(task)) {
        const std::uint32_t other = partner.process.index();
        if (task == a || other != a) {
          cost += static_cast<Cost>(partner.weight) * Cost{distance(task, other)};
        }
      }
    }
    return cost;
  }
  Cost cost_of_two(std::uint32_t a, std::uint32_t b) const {
    return cost_of_two(
        a, b, [&](std::uint32_t task, std::uint32_t other) { return distance(task, other); });
  }
  std::uint32_t distance(std::uint32_t task, std::uint32_t other) const {
    return distances_.between(placement_.slot_of[task], placement_.slot_of[other]);
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
      if (placement_.task_in[slot] != SubcubePlacement::nobody) {
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
    if ((a != SubcubePlacement::nobody && !may_use(cut->new_first)) ||
        (b != SubcubePlacement::nobody && !may_use(cut->new_second))) {
      return;
    }
    const Cost before = cost_of_two(a, b);
    const SubcubeLayout::Cut undo = placement_.layout.apply(*cut);
    const auto new_distance = [&](std::uint32_t task, std::uint32_t other) {
      return twice_mean_distance(placement_.subcube(task), placement_.subcube(other));
    };
    const Cost change = cost_of_two(a, b, new_distance) - before;
    if (is_of_kind() && accepts(change)) {
      cost_ += change;
      distances_.update(cut->first);
      distances_.update(cut->second);
    } else {
      placement_.layout.apply(undo);
    }
  }

  void reverse(std::uint32_t first, std::uint32_t last) {
    for (; first < last; ++first, --last) {
      std::swap(placement_.slot_of[first], placement_.slot_of[last]);
      placement_.task_in[placement_.slot_of[first]] = first;
      placement_.task_in[placement_.slot_of[last]] = last;
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
  SubcubePlacement placement_;
  SlotDistances distances_;
  Temperature temperature_;
  double hop_ = 1;  ///< what one more hop costs a message of average weight
  Cost cost_ = 0;
  Cost best_cost_ = 0;
  SubcubeMapping best_;
  std::uint64_t tried_ = 0;
};

/// Takes a mapping of the problem's where it is the first or the best.
void take(SubcubeSearchResult& best, const SubcubeProblem& problem, SubcubeMapping mapping) {
  const std::uint64_t found = bandwidth(problem, mapping);
  if (best.mapping.empty()) {
    best.start_bandwidth = found;
  }
  if (best.mapping.empty() || found < best.bandwidth) {
    best.bandwidth = found;
    best.mapping = std::move(mapping);
  }
}

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

/// The mapping's subcubes as a part of the problem's cube.
SubcubeMapping widened(const SubcubeMapping& mapping, const SubcubeProblem& problem) {
  return mapped(mapping, [&](const Subcube& subcube) {
    return Subcube{problem.cube_dimensions(), subcube.stars(), subcube.bits()};
  });
}

}  // namespace

SubcubeAnnealing SubcubeAnnealing::published() { return {.move = SubcubeMove::reversal}; }

SubcubeAnnealing SubcubeAnnealing::thorough(const SubcubeProblem& problem) {
  return {.moves = 96 * problem.task_count(), .restarts = 4};
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
  SubcubeSearchResult best;
  std::vector<double> temperatures;
  for (double degrees = annealing.start; degrees > annealing.stop; degrees *= annealing.cooling) {
    temperatures.push_back(degrees);
  }
  const double all = static_cast<double>(temperatures.size()) * annealing.restarts;
  double done = 0;
  for (std::uint32_t restart = 0; restart < annealing.restarts; ++restart) {
    SplitMix64 random{hash_of(seed, restart)};
    const SubcubeProblem part = part_of(problem, kind, annealing, restart);
    const Cuts cuts =
        annealing.move == SubcubeMove::reversal ? Cuts::in_a_quarter : Cuts::everywhere;
    std::optional<SubcubePlacement> start = draw_placement(part, kind, cuts, random);
    if (!start && restart == 0) {
      return std::nullopt;
    }
    if (!start) {  // the nodes left out leave no room in this part of the cube
      done += static_cast<double>(temperatures.size());
      continue;
    }
    Annealing run{part, kind, annealing, std::move(*start), random};
    take(best, problem, widened(run.best(), problem));
    const std::uint64_t so_far = best.bandwidth;
    for (const double degrees : temperatures) {
      run.stay_at(degrees);
      done += 1;
      const auto found =
          (static_cast<std::uint64_t>(run.best_cost()) << problem.subcube_dimensions()) / 2;
      if (progress && !progress({done / all, std::min(so_far, found)})) {
        best.is_complete = false;
        break;
      }
    }
    take(best, problem, widened(run.best(), problem));
    best.tried += run.tried();
    if (!best.is_complete) {
      break;
    }
  }
  return best;
}

SubcubeSearchResult best_random_mapping(const SubcubeProblem& problem, MappingKind kind,
                                        std::uint64_t count, std::uint64_t seed,
                                        const SubcubeSearchProgress& progress) {
  expects(count > 0, "a mapping is drawn");
  SubcubeSearchResult best;
  for (std::uint64_t i = 0; i < count; ++i) {
    SplitMix64 random{hash_of(seed, i)};
    take(best, problem, random_mapping(problem, kind, random));
    ++best.tried;
    const double done = static_cast<double>(i + 1) / static_cast<double>(count);
    if (progress && !progress({done, best.bandwidth})) {
      best.is_complete = i + 1 == count;
      break;
    }
  }
  return best;
}

}  // namespace dcube
