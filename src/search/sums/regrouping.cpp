#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/search/partners.hpp"
#include "maps.hpp"
#include "search/pairs.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

/// Maps tried, told to the search now and then.
class Tries {
 public:
  Tries(std::uint64_t most, const std::function<bool(std::uint64_t)>& stops)
      : left_{most}, stops_{stops} {}

  void add(std::uint64_t moves) {
    told_ += moves;
    if (told_ >= between_polls) {
      is_over_ = stops_(told_) || is_over_ || told_ >= left_;
      left_ -= std::min(left_, told_);
      told_ = 0;
    }
  }
  bool are_over() const { return is_over_; }

 private:
  static constexpr std::uint64_t between_polls = 4096;

  std::uint64_t left_;
  const std::function<bool(std::uint64_t)>& stops_;
  std::uint64_t told_ = 0;
  bool is_over_ = false;
};

/// Groups of processes that move as one.
struct Level {
  Partners partners;
  std::vector<std::uint32_t> size;   ///< processes of each group
  std::vector<bool> is_fixed;        ///< groups that do not move
  std::vector<NodeId> node;          ///< of each group
  std::vector<std::uint32_t> group;  ///< of each group of the finer level
};

/// The level in which groups of a node are joined in pairs: a group joins the one to which it is
/// bound most, of those with which it has at most so many processes.
Level coarser(const Level& fine, std::uint32_t most, SplitMix64& random) {
  std::vector<std::uint32_t> order = numbered(fine.size.size());
  shuffle(order, random);
  std::vector<std::uint32_t> group(order.size(), nobody);
  std::vector<std::uint32_t> size;
  std::vector<bool> is_fixed;
  std::vector<NodeId> node;
  for (const std::uint32_t one : order) {
    if (group[one] != nobody) {
      continue;
    }
    const Partner* mate = nullptr;
    const auto size_with = [&](const Partner& partner) {
      return fine.size[one] + fine.size[partner.process.index()];
    };
    for (const Partner& partner : fine.partners.of(one)) {
      const std::uint32_t other = partner.process.index();
      const bool may_join = group[other] == nobody && fine.node[other] == fine.node[one] &&
                            fine.is_fixed[other] == fine.is_fixed[one] &&
                            size_with(partner) <= most;
      if (may_join && (mate == nullptr || std::pair{mate->weight, size_with(partner)} <
                                              std::pair{partner.weight, size_with(*mate)})) {
        mate = &partner;
      }
    }
    group[one] = static_cast<std::uint32_t>(size.size());
    if (mate != nullptr) {
      group[mate->process.index()] = group[one];
    }
    size.push_back(mate == nullptr ? fine.size[one] : size_with(*mate));
    is_fixed.push_back(fine.is_fixed[one]);
    node.push_back(fine.node[one]);
  }
  Partners partners = fine.partners.joined(group, static_cast<std::uint32_t>(size.size()));
  return {std::move(partners), std::move(size), std::move(is_fixed), std::move(node),
          std::move(group)};
}

/// Local search of the groups of a level. A search begins with one group, goes on among the
/// partners of those that moved, takes the best step even where it costs, moves no group twice, and
/// returns to the best map that it came by (Sanders & Schulz 2011, section 4).
class Refinement {
 public:
  Refinement(const PlacementProblem& problem, Level& level, std::vector<std::uint32_t>& free,
             SplitMix64& random, Tries& tries)
      : distances_{problem.distances},
        level_{level},
        free_{free},
        random_{random},
        tries_{tries},
        hosted_(free.size()),
        position_(level.node.size()),
        weight_to_(free.size()) {
    for (std::uint32_t group = 0; group < level.node.size(); ++group) {
      host(group, level.node[group]);
    }
  }

  /// Returns what it saves.
  std::uint64_t run() {
    constexpr int most_rounds = 8;
    constexpr std::uint64_t least_share = 100;
    const std::uint64_t cost = level_cost();
    std::uint64_t all_saved = 0;
    for (int round = 0; round < most_rounds && !tries_.are_over(); ++round) {
      const std::uint64_t saved = search_from_all();
      all_saved += saved;
      if (saved <= cost / least_share) {
        break;
      }
    }
    return all_saved;
  }

 private:
  /// A group goes to free slots of another node, or in exchange for a group there.
  struct Step {
    std::int64_t saving = 0;
    std::uint32_t group = nobody;
    NodeId to{0};
    std::uint32_t other = nobody;

    /// The best step is the greatest.
    std::pair<std::int64_t, std::uint32_t> rank() const { return {saving, nobody - group}; }
  };
  struct Move {
    std::uint32_t group;
    NodeId from;
  };

  std::uint64_t level_cost() const {
    std::uint64_t cost = 0;
    for_each_pair(level_.partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
      cost += weight * distances_(level_.node[a], level_.node[b]);
    });
    return cost;
  }

  bool has_partners_elsewhere(std::uint32_t group) const {
    return std::ranges::any_of(level_.partners.of(group), [&](const Partner& partner) {
      return level_.node[partner.process.index()] != level_.node[group];
    });
  }

  /// Searches from every group at the edge of its node. Returns what they save.
  std::uint64_t search_from_all() {
    is_still_ = level_.is_fixed;
    std::vector<std::uint32_t> seeds = kept(numbered(level_.node.size()), [&](std::uint32_t group) {
      return !is_still_[group] && has_partners_elsewhere(group);
    });
    shuffle(seeds, random_);
    std::uint64_t saved = 0;
    for (const std::uint32_t seed : seeds) {
      if (!tries_.are_over() && !is_still_[seed]) {
        saved += search_from(seed);
      }
    }
    return saved;
  }

  std::uint64_t search_from(std::uint32_t seed) {
    constexpr int most_idle = 10;
    moves_.clear();
    waiting_.clear();
    offer(seed);
    std::int64_t saved = 0;
    std::int64_t most_saved = 0;
    std::size_t kept_moves = 0;
    for (int idle = 0; idle < most_idle && !tries_.are_over();) {
      const std::optional<Step> step = next_step();
      if (!step) {
        break;
      }
      make(*step);
      saved += step->saving;
      ++idle;
      if (saved > most_saved) {
        most_saved = saved;
        kept_moves = moves_.size();
        idle = 0;
      }
    }
    for (; moves_.size() > kept_moves; moves_.pop_back()) {
      move(moves_.back().group, moves_.back().from);
    }
    return static_cast<std::uint64_t>(most_saved);
  }

  /// The best step on offer. Groups have moved since it was offered, and only now it is certain
  /// whether there is room, so it may turn out to be worse, and then it waits again.
  std::optional<Step> next_step() {
    while (!waiting_.empty()) {
      std::ranges::pop_heap(waiting_, {}, &Step::rank);
      const std::uint32_t group = waiting_.back().group;
      waiting_.pop_back();
      if (is_still_[group]) {
        continue;
      }
      const std::optional<Step> step = best_step(group, true);
      if (step && (waiting_.empty() || step->rank() >= waiting_.front().rank())) {
        return step;
      }
      if (step) {
        wait(*step);
      }
    }
    return std::nullopt;
  }

  void wait(const Step& step) {
    waiting_.push_back(step);
    std::ranges::push_heap(waiting_, {}, &Step::rank);
  }

  void offer(std::uint32_t group) {
    if (const std::optional<Step> step = best_step(group, false)) {
      wait(*step);
    }
  }

  void make(const Step& step) {
    const NodeId from = level_.node[step.group];
    const auto go = [&](std::uint32_t group, NodeId to) {
      moves_.push_back({group, level_.node[group]});
      move(group, to);
      is_still_[group] = true;
    };
    go(step.group, step.to);
    if (step.other != nobody) {
      go(step.other, from);
    }
    for (const std::uint32_t moved : {step.group, step.other}) {
      for (const Partner& partner :
           moved == nobody ? std::span<const Partner>{} : level_.partners.of(moved)) {
        if (!is_still_[partner.process.index()]) {
          offer(partner.process.index());
        }
      }
    }
  }

  /// Sums up what binds the group to each node.
  void sum_up(std::uint32_t group) {
    nodes_.clear();
    for (const Partner& partner : level_.partners.of(group)) {
      const NodeId node = level_.node[partner.process.index()];
      if (weight_to_[node.index()] == 0) {
        nodes_.push_back(node);
      }
      weight_to_[node.index()] += partner.weight;
    }
  }

  /// What the group of the last sum_up() costs on the node.
  std::uint64_t cost_on(NodeId node) const {
    std::uint64_t cost = 0;
    for (const NodeId other : nodes_) {
      cost += weight_to_[other.index()] * distances_(node, other);
    }
    return cost;
  }

  /// The best step of the group to a node of its partners; nothing where there is none. Unless it
  /// `is_certain`, an exchange counts as if the other group cost nothing.
  std::optional<Step> best_step(std::uint32_t group, bool is_certain) {
    sum_up(group);
    const NodeId here = level_.node[group];
    const std::uint64_t cost = cost_on(here);
    std::optional<Step> into_free;
    std::optional<Step> exchange;
    for (const NodeId node : nodes_) {
      if (node == here) {
        continue;
      }
      const Step step{static_cast<std::int64_t>(cost - cost_on(node)), group, node};
      std::optional<Step>& best = free_[node.index()] >= level_.size[group] ? into_free : exchange;
      if (!best || best->saving < step.saving) {
        best = step;
      }
    }
    tries_.add(nodes_.size());
    for (const NodeId node : nodes_) {
      weight_to_[node.index()] = 0;
    }
    // Exchanges take long to value; one that the group loses by is seldom worth it.
    if (exchange &&
        exchange->saving <= std::max<std::int64_t>(0, into_free ? into_free->saving : 0)) {
      exchange.reset();
    }
    if (exchange && is_certain) {
      find_other(*exchange);
      if (exchange->other == nobody || (into_free && exchange->saving < into_free->saving)) {
        exchange.reset();
      }
    }
    return exchange ? exchange : into_free;
  }

  /// The group that makes room on the step's node at least cost.
  void find_other(Step& step) {
    constexpr std::size_t most_compared = 128;
    const NodeId here = level_.node[step.group];
    const std::vector<std::uint32_t>& there = hosted_[step.to.index()];
    const std::uint32_t size = level_.size[step.group];
    const std::size_t compared = std::min(there.size(), most_compared);
    std::size_t next = compared < there.size() ? draw_below(random_, there.size()) : 0;
    std::int64_t most = 0;
    for (std::size_t left = compared; left > 0; --left) {
      const std::uint32_t other = there[next];
      next = next + 1 < there.size() ? next + 1 : 0;
      const std::uint32_t other_size = level_.size[other];
      if (is_still_[other] || free_[step.to.index()] + other_size < size ||
          free_[here.index()] + size < other_size) {
        continue;
      }
      const std::int64_t saving = saving_of_other(other, step);
      if (step.other == nobody || saving > most) {
        most = saving;
        step.other = other;
      }
    }
    tries_.add(compared / 4);
    step.saving += most;
  }

  /// What it saves besides that `other` goes where the step's group comes from.
  std::int64_t saving_of_other(std::uint32_t other, const Step& step) const {
    const NodeId here = level_.node[step.group];
    std::uint64_t saving = 0;  // wraps around and comes back
    for (const Partner& partner : level_.partners.of(other)) {
      const NodeId node = level_.node[partner.process.index()];
      saving +=
          partner.weight * (std::uint64_t{distances_(step.to, node)} - distances_(here, node));
      if (partner.process.index() == step.group) {  // they stay as far apart
        saving -= 2 * partner.weight * distances_(step.to, here);
      }
    }
    return static_cast<std::int64_t>(saving);
  }

  void host(std::uint32_t group, NodeId node) {
    position_[group] = static_cast<std::uint32_t>(hosted_[node.index()].size());
    hosted_[node.index()].push_back(group);
  }

  void move(std::uint32_t group, NodeId to) {
    const NodeId from = level_.node[group];
    std::vector<std::uint32_t>& hosted = hosted_[from.index()];
    const std::uint32_t last = hosted.back();
    hosted[position_[group]] = last;
    position_[last] = position_[group];
    hosted.pop_back();
    host(group, to);
    free_[from.index()] += level_.size[group];
    free_[to.index()] -= level_.size[group];
    level_.node[group] = to;
  }

  const Distances& distances_;
  Level& level_;
  std::vector<std::uint32_t>& free_;  ///< slots of each node; wraps around within an exchange
  SplitMix64& random_;
  Tries& tries_;
  std::vector<std::vector<std::uint32_t>> hosted_;  ///< groups on each node
  std::vector<std::uint32_t> position_;             ///< of each group on its node
  std::vector<bool> is_still_;                      ///< groups that do not move in this round
  std::vector<Step> waiting_;                       ///< a heap, the best one first
  std::vector<Move> moves_;                         ///< of one search
  std::vector<NodeId> nodes_;                       ///< of sum_up()
  std::vector<std::uint64_t> weight_to_;            ///< each node, of sum_up()
};

/// From single processes to a few groups a node and back. `free`: slots of each node.
void cycle(const PlacementProblem& problem, std::uint64_t hosts, Level& singles,
           std::vector<std::uint32_t>& free, SplitMix64& random, Tries& tries) {
  constexpr std::uint64_t groups_of_a_node = 8;
  constexpr std::uint64_t least_sizes = 4;  // of the mean of a node
  const auto most = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(2, problem.movable.size() / (least_sizes * hosts)));
  std::vector<Level> levels;
  tries.add(problem.movable.size());  // so that a cycle without a move ends, too
  const Level* finest = &singles;
  while (finest->size.size() > groups_of_a_node * hosts) {
    Level next = coarser(*finest, most, random);
    if (20 * next.size.size() > 19 * finest->size.size()) {
      break;
    }
    levels.push_back(std::move(next));
    finest = &levels.back();
  }
  std::uint64_t saved = 0;
  while (!levels.empty()) {
    Level& level = levels.back();
    saved += Refinement{problem, level, free, random, tries}.run();
    Level& finer = levels.size() > 1 ? levels[levels.size() - 2] : singles;
    finer.node = mapped(level.group, [&](std::uint32_t group) { return level.node[group]; });
    levels.pop_back();
  }
  saved += Refinement{problem, singles, free, random, tries}.run();
  if (saved == 0) {  // joining has taken about as long as so many tries, and little else was done
    tries.add(2 * problem.search.traffic.flows().size());
  }
}

}  // namespace

std::vector<std::uint32_t> regrouped_places(const PlacementProblem& problem,
                                            std::span<const std::uint32_t> places,
                                            std::uint64_t moves, SplitMix64& random,
                                            const std::function<bool(std::uint64_t)>& stops) {
  if (problem.movable.empty()) {
    return {places.begin(), places.end()};
  }
  Level singles{.partners = problem.partners,
                .size = std::vector<std::uint32_t>(places.size(), 1),
                .is_fixed = std::vector<bool>(places.size(), true),
                .node = mapped(places, [&](std::uint32_t place) { return problem.node[place]; }),
                .group = {}};
  std::vector<std::uint32_t> free;
  std::uint64_t hosts = 0;  // nodes with slots for processes that are not pinned
  for (std::uint32_t node = 0; node + 1 < problem.first.size(); ++node) {
    free.push_back(problem.first[node + 1] - problem.first[node]);
    hosts += free.back() > 0 ? 1 : 0;
  }
  for (const std::uint32_t process : problem.movable) {
    singles.is_fixed[process] = false;
    --free[singles.node[process].index()];
  }
  Tries tries{moves, stops};
  while (!tries.are_over()) {
    cycle(problem, std::max<std::uint64_t>(1, hosts), singles, free, random, tries);
  }
  return problem.places_of(singles.node);
}

}  // namespace dcube
