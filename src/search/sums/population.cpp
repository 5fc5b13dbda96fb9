#include "population.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "core/share_out.hpp"
#include "maps.hpp"
#include "search/pairs.hpp"
#include "search/walks/draws.hpp"
#include "swap_annealing.hpp"
#include "tabu.hpp"

namespace dcube {
namespace {

/// Lets several threads ask one caller whether to stop, one at a time.
class SharedControl {
 public:
  SharedControl(const SearchControl& control, std::uint64_t effort)
      : control_{control}, effort_{effort} {}

  bool stops(std::uint64_t moves) {
    done_ += moves;
    if (has_stopped_) {
      return true;
    }
    const std::scoped_lock lock{mutex_};
    has_stopped_ = has_stopped_ ||
                   control_.stops_at({std::min<std::uint64_t>(done_, effort_), effort_, best_});
    return has_stopped_;
  }
  bool has_stopped() const { return has_stopped_; }
  /// Shown from now on. For the thread that hands out work.
  void set_best(std::uint64_t cost) { best_ = cost; }

 private:
  const SearchControl& control_;
  std::uint64_t effort_;
  std::uint64_t best_ = 0;
  std::mutex mutex_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> has_stopped_ = false;
};

/// State of one thread.
struct Worker {
  explicit Worker(const PlacementProblem& problem)
      : annealing{problem}, tabu{make_tabu_search(problem)} {}

  SwapAnnealing annealing;
  std::unique_ptr<TabuSearch> tabu;  ///< null on large machines
};

class Population {
 public:
  Population(const PlacementProblem& problem, std::vector<Individual> starts,
             const PopulationSettings& settings, const SearchControl& control)
      : problem_{problem},
        starts_{std::move(starts)},
        settings_{settings},
        control_{control, settings.effort} {
    // No more than there is work for at a time.
    const std::uint32_t most = problem.node.size() <= most_tabu_places ? most_walks : 2;
    for (std::uint32_t i = 0; i < std::clamp(settings.jobs, 1U, most); ++i) {
      workers_.emplace_back(problem);
    }
    std::ranges::stable_sort(starts_, {}, &Individual::cost);
    offer(starts_.front());
    if (problem_.has_many_a_node()) {
      const PlacementProblem apart = problem_.apart();
      parted_ = std::ranges::min(starts_, {}, [&](const Individual& one) {
                  return apart.cost_of(one.places);
                }).places;
    }
  }

  /// The starts of a search that goes on from here.
  std::vector<Individual> best_starts() const {
    std::vector<Individual> starts{best_};
    if (!parted_.empty()) {
      starts.push_back({parted_, problem_.cost_of(parted_), {}});
    }
    return starts;
  }

  const Individual& best() const { return best_; }

  /// Whether the effort is used, the floor is reached, or the caller wants to stop.
  bool is_over() const {
    return control_.has_stopped() || moves_ >= settings_.effort || best_.cost == settings_.floor ||
           do_epochs_agree();
  }

  /// Adds the maps of a few growths to the starts, and one that is made from coarse to fine.
  void grow() {
    constexpr std::uint64_t most_growths = 16;
    constexpr std::uint64_t most_steps = 20'000'000;
    const std::uint64_t compared = std::min(problem_.place_count(), most_compared_places);
    const std::uint64_t steps = compared * (2 * problem_.search.traffic.flows().size() + 1);
    const auto growths =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most_steps / steps, 1, most_growths));
    std::vector<Individual> grown(growths);
    share_out(growths, job_count(), [&](std::uint32_t, std::uint32_t task) {
      if (!control_.stops(0)) {
        SplitMix64 random = random_of(0, task);
        grown[task] = valued(grown_places(problem_, random), "greedy construction");
      }
    });
    std::erase_if(grown, [](const Individual& one) { return one.places.empty(); });
    add_starts(std::move(grown));
    constexpr std::uint32_t least_places = 2 * most_places_searched_whole;
    if (is_over() || problem_.place_count() < least_places) {
      return;
    }
    if (const auto map = multilevel_map(problem_.search, settings_.seed, settings_.jobs, quiet())) {
      add_starts({valued(problem_.places_of(*map), "multilevel")});
    }
  }

  /// Adds maps in two steps, where nodes have several slots: processes are parted into groups that
  /// fit on a node, so that little traffic leaves a group. Then each group is placed as one process
  /// of a machine whose nodes have one slot (Mercier & Jeannot 2011). Of new groups, and of those
  /// of the best map, mended and as they are. Tries at most so many maps.
  void part(std::uint64_t moves) {
    const std::uint64_t stage = ++stage_;
    constexpr std::uint64_t most_parting = 4'000'000;
    const std::uint64_t parting = std::min(moves / 16, most_parting);
    const PlacementProblem apart = problem_.apart();
    std::vector<std::vector<std::uint32_t>> groupings(3, best_.places);
    share_out(2, job_count(), [&](std::uint32_t, std::uint32_t task) {
      SplitMix64 random = random_of(stage, task);
      const auto stops = [count = counted()] { return count(SwapAnnealing::between_polls); };
      groupings[task] =
          SwapAnnealing{apart}.run(task == 0 ? random_places(apart, random) : groupings[task],
                                   task == 0 ? cool_slowly : cool_gently, parting, random, stops);
    });
    if (groupings[1] == groupings[2]) {
      groupings.pop_back();
    }
    for (const std::vector<std::uint32_t>& grouping : groupings) {
      if (is_over()) {
        return;
      }
      Individual one = rearranged(grouping, moves / 4, stage);
      SplitMix64 random = random_of(++stage_, 0);
      add_starts({annealed(workers_.front(), one.places, cool_gently, moves / 24, random),
                  std::move(one)});
    }
  }

  void add_starts(std::vector<Individual> more) {
    for (const Individual& one : more) {
      if (grown_.places.empty() || one.cost < grown_.cost) {
        grown_ = one;
      }
    }
    std::ranges::move(more, std::back_inserter(starts_));
    std::ranges::stable_sort(starts_, {}, &Individual::cost);
    offer(starts_.front());
  }

  PopulationResult run() {
    while (!is_over() && problem_.place_count() > 1 && !problem_.movable.empty()) {
      ++epoch_;
      members_.clear();
      const std::uint64_t least_before = best_.cost;
      const bool is_of_champions = is_bred() && epoch_ % 3 == 0;
      if (is_of_champions) {
        add(champions_);
      } else {
        walk();
      }
      breed_to_the_end();
      if (!members_.empty()) {
        champions_.push_back(members_.front());
        count_agreement(least_before, is_of_champions);
      }
      if (!is_over() && moves_left() < least_generation()) {
        finish();
      }
    }
    return {std::move(best_), moves_, control_.has_stopped(), do_epochs_agree()};
  }

 private:
  static constexpr std::uint32_t children_at_once = 8;
  static constexpr std::uint32_t most_walks = 12;

  std::uint32_t job_count() const { return static_cast<std::uint32_t>(workers_.size()); }

  std::uint64_t moves_left() const {
    return settings_.effort - std::min<std::uint64_t>(moves_, settings_.effort);
  }

  /// Whether enough populations have come to the least cost, or twice as many have not come to that
  /// of the best start, which is the least.
  bool do_epochs_agree() const {
    return settings_.agreement > 0 &&
           (agreed_ >= settings_.agreement || above_start_ >= 2 * settings_.agreement);
  }

  /// Updates the agreement counts after an epoch.
  void count_agreement(std::uint64_t least_before, bool is_of_champions) {
    if (best_.cost < least_before) {
      agreed_ = 0;
    }
    if (is_bred() && !is_of_champions) {
      const std::uint64_t cost = members_.front().cost;
      agreed_ += cost == best_.cost ? 1 : 0;
      above_start_ += cost > best_.cost && best_.cost == starts_.front().cost ? 1 : 0;
    }
  }

  /// Maps tried when every child of a generation makes one step.
  std::uint64_t least_generation() const {
    return is_bred() ? children_at_once * workers_.front().tabu->moves_of_a_step() : 0;
  }

  void finish() {
    SplitMix64 random = random_of(++stage_, 0);
    add({annealed(workers_.front(), best_.places, cool_gently, moves_left(), random)});
  }

  SplitMix64 random_of(std::uint64_t stage, std::uint64_t task) const {
    return SplitMix64{hash_of(settings_.seed, 0x706f70756cU, stage, task)};
  }

  void offer(const Individual& one) {
    if (best_.places.empty() || one.cost < best_.cost) {
      best_ = one;
      control_.set_best(best_.cost);
    }
  }

  /// The maps that an epoch begins with.
  void walk() {
    if (is_bred()) {
      walk_widely();
      return;
    }
    const std::uint64_t length = epoch_length();
    const std::uint64_t of_exchanges = exchanges_of(length);
    if (of_exchanges > 0) {
      walk_onwards(of_exchanges);
    }
    if (of_exchanges < length && !is_over()) {
      walk_in_groups(length - of_exchanges);
    }
  }

  /// How many of so many maps are made by exchanges of processes. Where nodes have many processes,
  /// moves of groups make the others: the more processes, the more of them.
  std::uint64_t exchanges_of(std::uint64_t length) const {
    constexpr std::uint64_t most_processes = 16'384;
    const std::uint64_t processes = problem_.movable.size();
    if (!problem_.has_many_a_node()) {
      return length;
    }
    return processes < most_processes ? length / most_processes * (most_processes - processes) : 0;
  }

  /// A first population: slow walks from random maps, and in the first epoch a short one from the
  /// best start, which is cooled gently.
  void walk_widely() {
    const std::uint64_t stage = ++stage_;
    const std::uint64_t length = epoch_length() / 4 * 3;
    const std::uint64_t gentle = epoch_ == 1 ? length / 8 : 0;
    const std::uint32_t slow_walks = walks_of(length);
    std::vector<Individual> walked(slow_walks + (epoch_ == 1 ? 1 : 0));
    share_out(static_cast<std::uint32_t>(walked.size()), job_count(),
              [&](std::uint32_t worker, std::uint32_t task) {
                SplitMix64 random = random_of(stage, task);
                walked[task] = task < slow_walks
                                   ? annealed(workers_[worker], random_places(problem_, random),
                                              cool_slowly, (length - gentle) / slow_walks, random)
                                   : annealed(workers_[worker], starts_.front().places, cool_gently,
                                              gentle, random);
              });
    add(std::move(walked));
  }

  /// Two walks from the best map, of which one is hotter; at first the other one begins at a random
  /// map where the machine is small enough for that. The first one begins at the best map of this
  /// search where the best of all is a start that a short walk does not mend.
  void walk_onwards(std::uint64_t length) {
    constexpr std::uint32_t most_places = 4096;
    constexpr std::uint64_t most_parting = 120'000'000;
    if (problem_.has_several_a_node()) {
      part(std::min(length / 2, most_parting));
    }
    std::vector<std::uint32_t> from = best_.places;
    if (epoch_ == 1 && best_.cost < grown_.cost) {
      const std::uint64_t before = best_.cost;
      SplitMix64 random = random_of(++stage_, 0);
      add({annealed(workers_.front(), from, cool_gently, length / 10, random)});
      from = best_.cost < before ? best_.places : grown_.places;
      length -= length / 10;
    }
    const std::uint64_t stage = ++stage_;
    const bool is_fresh = epoch_ == 1 && problem_.place_count() <= most_places;
    std::vector<Individual> walked(2);
    share_out(2, job_count(), [&](std::uint32_t worker, std::uint32_t task) {
      SplitMix64 random = random_of(stage, task);
      const bool is_random = is_fresh && task == 1;
      walked[task] = annealed(workers_[worker], is_random ? random_places(problem_, random) : from,
                              is_random   ? cool_from_hot
                              : task == 1 ? cool_warmly
                                          : cool_gently,
                              length / 2 - length / 10, random);
    });
    add(std::move(walked));
    if (!is_over()) {
      SplitMix64 random = random_of(stage, 2);
      add({annealed(workers_.front(), best_.places, cool_gently, length / 5, random)});
    }
  }

  /// Two walks of groups: one from parts of the processes between which there is little traffic,
  /// once they are on good nodes; one from the best map. Later epochs make other parts.
  void walk_in_groups(std::uint64_t length) {
    const double of_parting = epoch_ == 1 ? 0 : 0.05;  // of the maps tried
    constexpr double of_placing = 0.4;
    constexpr double of_regrouping = 0.2;  // each
    const std::uint64_t stage = ++stage_;
    const std::uint64_t end = moves_ + length;
    const auto share = [&](double part) {
      return static_cast<std::uint64_t>(part * static_cast<double>(length));
    };
    SplitMix64 random = random_of(stage, 0);
    if (epoch_ > 1) {
      parted_ = regrouped_places(problem_.apart(), parted_, share(of_parting), random, counted());
    }
    std::vector<Individual> walked{rearranged(parted_, share(of_placing), stage), best_};
    share_out(2, job_count(), [&](std::uint32_t, std::uint32_t task) {
      SplitMix64 own = random_of(stage, 1 + task);
      walked[task] = regrouped(walked[task].places, share(of_regrouping), own);
    });
    add(std::move(walked));
    if (!is_over()) {
      add({regrouped(best_.places, std::max<std::uint64_t>(end, moves_ + 1) - moves_, random)});
    }
  }

  /// Whether maps are recombined: tabu search improves the children.
  bool is_bred() const { return workers_.front().tabu != nullptr; }

  /// Maps tried in an epoch. Where maps are not bred there is one epoch, unless the effort has no
  /// end; then each is twice as long as the one before.
  std::uint64_t epoch_length() const {
    const std::uint64_t places = problem_.place_count();
    if (is_bred()) {
      constexpr std::uint64_t of_a_triple = 15;
      constexpr std::uint64_t least = 60'000;  // fewer are not worth a walk
      return std::min(moves_left(), std::max(least, of_a_triple * places * places * places));
    }
    constexpr std::uint64_t of_a_place = 16;
    constexpr std::uint64_t most_doublings = 30;
    return settings_.effort < endless_effort
               ? moves_left()
               : of_a_place * places << std::min(epoch_, most_doublings);
  }

  /// Few long walks are better than many short ones on large machines.
  std::uint32_t walks_of(std::uint64_t moves) const {
    constexpr std::uint64_t of_a_pair = 1500;
    const std::uint64_t places = problem_.place_count();
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(moves / (of_a_pair * places * places), 2, most_walks));
  }

  Individual annealed(Worker& worker, std::vector<std::uint32_t> places, const Cooling& cooling,
                      std::uint64_t moves, SplitMix64& random) {
    moves = std::max<std::uint64_t>(1, moves);
    std::uint64_t told = 0;
    places = worker.annealing.run(std::move(places), cooling, moves, random, [&] {
      told += SwapAnnealing::between_polls;
      return control_.stops(SwapAnnealing::between_polls);
    });
    moves_ += control_.has_stopped() ? told : moves;
    return valued(std::move(places), "annealing: exchanges");
  }

  /// Groups of processes on better nodes.
  Individual rearranged(std::span<const std::uint32_t> places, std::uint64_t moves,
                        std::uint64_t stage) {
    const PopulationSettings settings{.seed = hash_of(settings_.seed, stage),
                                      .effort = moves,
                                      .agreement = 2,
                                      .jobs = settings_.jobs,
                                      .floor = settings_.floor};
    std::uint64_t done = 0;
    Individual one =
        valued(rearranged_places(problem_, places, settings, quiet(), done), "groups of processes");
    moves_ += done;
    return one;
  }

  Individual regrouped(std::span<const std::uint32_t> places, std::uint64_t moves,
                       SplitMix64& random) {
    return valued(regrouped_places(problem_, places, moves, random, counted()), "moves of groups");
  }

  /// For searches within this one.
  SearchControl quiet() {
    return {.should_stop = [this] { return control_.stops(0); }};
  }

  /// Counts maps tried, and says whether to stop.
  std::function<bool(std::uint64_t)> counted() {
    return [this](std::uint64_t moves) {
      moves_ += moves;
      return control_.stops(moves);
    };
  }

  Individual valued(std::vector<std::uint32_t> places, std::string origin) const {
    const std::uint64_t cost = problem_.cost_of(places);
    return {std::move(places), cost, std::move(origin)};
  }

  /// Breeds until children bring nothing for some generations.
  void breed_to_the_end() {
    constexpr std::uint32_t most_idle = 8;
    std::uint32_t idle = 0;
    while (is_bred() && !is_over() && members_.size() > 1 && idle < most_idle &&
           moves_left() >= least_generation()) {
      const std::uint64_t before = members_.front().cost;
      breed();
      idle = members_.front().cost < before ? 0 : idle + 1;
    }
  }

  void breed() {
    const std::uint32_t count = static_cast<std::uint32_t>(members_.size());
    std::vector<Individual> children(children_at_once);
    const std::uint64_t stage = ++stage_;
    const std::uint64_t moves = moves_left() / children_at_once;
    share_out(children_at_once, job_count(), [&](std::uint32_t worker, std::uint32_t task) {
      SplitMix64 random = random_of(stage, task);
      const std::uint32_t a = draw_below(random, count);
      std::uint32_t b = draw_below(random, count - 1);
      b += b >= a ? 1 : 0;
      children[task] = improved(
          workers_[worker], recombined(problem_, members_[a].places, members_[b].places, random),
          moves, random);
    });
    add(std::move(children));
  }

  Individual improved(Worker& worker, std::vector<std::uint32_t> places, std::uint64_t moves,
                      SplitMix64& random) {
    constexpr std::uint64_t patience = 150;
    places = worker.tabu->run(places, {.patience = patience, .moves = moves}, random, counted());
    return valued(std::move(places), "tabu search of recombined maps");
  }

  /// Keeps the best of all, one of each cost.
  void add(std::vector<Individual> more) {
    constexpr std::size_t most_members = 12;
    for (Individual& one : more) {
      offer(one);
      members_.push_back(std::move(one));
    }
    std::ranges::stable_sort(members_, {}, &Individual::cost);
    members_.erase(
        std::unique(members_.begin(), members_.end(),
                    [](const Individual& a, const Individual& b) { return a.cost == b.cost; }),
        members_.end());
    members_.resize(std::min(members_.size(), most_members));
  }

  const PlacementProblem& problem_;
  std::vector<Individual> starts_;  ///< cheapest first
  const PopulationSettings& settings_;
  SharedControl control_;
  std::vector<Worker> workers_;
  std::vector<Individual> members_;    ///< cheapest first
  std::vector<Individual> champions_;  ///< the best of each epoch
  std::vector<std::uint32_t> parted_;  ///< the start with least traffic between nodes
  Individual best_;
  Individual grown_;  ///< the best of the starts made here
  std::atomic<std::uint64_t> moves_ = 0;
  std::uint64_t stage_ = 0;  ///< of work shared out
  std::uint64_t epoch_ = 0;
  std::uint32_t agreed_ = 0;       ///< epochs that have come to the least cost by themselves
  std::uint32_t above_start_ = 0;  ///< that have not, while it was that of the best start
};

/// More do not fit in a cache.
constexpr std::uint32_t most_places_in_any_order = 16'384;

}  // namespace

PopulationResult improve(const PlacementProblem& problem, std::vector<Individual> starts,
                         const PopulationSettings& settings, const SearchControl& control) {
  Population population{problem, std::move(starts), settings, control};
  population.grow();
  if (population.is_over() || problem.place_count() <= most_places_in_any_order) {
    return population.run();
  }
  // Processes in the order of their places: what belongs together is near each other in memory.
  std::vector<std::uint32_t> order = numbered(population.best().places.size());
  std::ranges::sort(order, {}, [&](std::uint32_t one) { return population.best().places[one]; });
  const PlacementProblem ordered{problem, order};
  std::vector<Individual> renumbered = population.best_starts();
  for (Individual& start : renumbered) {
    start.places = mapped(order, [&](std::uint32_t process) { return start.places[process]; });
  }
  PopulationResult result = Population{ordered, std::move(renumbered), settings, control}.run();
  std::vector<std::uint32_t> places(order.size());
  for (std::size_t number = 0; number < order.size(); ++number) {
    places[order[number]] = result.best.places[number];
  }
  result.best.places = std::move(places);
  return result;
}

std::vector<std::uint32_t> rearranged_places(const PlacementProblem& problem,
                                             std::span<const std::uint32_t> places,
                                             const PopulationSettings& settings,
                                             const SearchControl& control, std::uint64_t& moves) {
  std::vector<std::uint32_t> group_of;
  std::vector<NodeId> node_of;              // by group
  std::vector<std::optional<NodeId>> pins;  // by group: its node where a process is pinned
  std::vector<std::uint32_t> group_on(problem.near.size(), nobody);
  for (std::uint32_t process = 0; process < places.size(); ++process) {
    const NodeId node = problem.node[places[process]];
    std::uint32_t& group = group_on[node.index()];
    if (group == nobody) {
      group = static_cast<std::uint32_t>(node_of.size());
      node_of.push_back(node);
      pins.emplace_back();
    }
    group_of.push_back(group);
    if (problem.pinned_place[process] != nobody) {
      pins[group] = node;
    }
  }
  const auto group_count = static_cast<std::uint32_t>(node_of.size());
  const Traffic traffic = traffic_of_groups(problem.partners, group_of, group_count);
  SearchProblem search{.topology = problem.search.topology, .traffic = traffic};
  search.pins = std::move(pins);
  const PlacementProblem placement{search, problem};
  const PopulationResult result =
      improve(placement, {individual_of(placement, node_of)}, settings, control);
  moves += result.moves;
  const std::vector<NodeId> nodes = placement.map_of(result.best.places);
  return problem.places_of(mapped(group_of, [&](std::uint32_t group) { return nodes[group]; }));
}

}  // namespace dcube
