#include <algorithm>
#include <bit>
#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <cstddef>
#include <limits>
#include <queue>
#include <span>
#include <utility>

#include "bounds.hpp"
#include "dcube/core/int128.hpp"
#include "search/pairs.hpp"

// A length belongs to every pair of processes that exchange anything. The distance of two processes
// is at most the length of any path of pairs between them, so for every tree of pairs the lengths
// of its paths add up to what the processes on it need. There are far too many trees. Those of
// shortest paths from each process are added where present lengths violate them, until none do.

namespace dcube {
namespace {

/// One tree, or several together: the sum of uses times lengths is at least `need`.
struct Tree {
  std::vector<int> pairs;
  std::vector<std::uint32_t> uses;
  std::uint64_t need = 0;
};

/// The pairs of any weight, and who has which.
struct PairGraph {
  struct Side {
    std::uint32_t process;
    std::uint32_t pair;
  };

  explicit PairGraph(const Partners& partners) : sides(partners.process_count()) {
    for_each_pair(partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
      if (weight > 0) {
        const auto pair = static_cast<std::uint32_t>(weights.size());
        sides[a].push_back({b, pair});
        sides[b].push_back({a, pair});
        weights.push_back(weight);
      }
    });
  }

  std::vector<std::vector<Side>> sides;  ///< by process
  std::vector<std::uint64_t> weights;    ///< by pair
};

/// Shortest paths from one process (Dijkstra 1959).
struct PathTree {
  PathTree(const PairGraph& graph, std::uint32_t root, const std::vector<double>& lengths)
      : distance(graph.sides.size(), std::numeric_limits<double>::infinity()),
        parent(graph.sides.size()) {
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
    std::vector<bool> is_done(graph.sides.size());
    distance[root] = 0;
    waiting.emplace(0.0, root);
    while (!waiting.empty()) {
      const std::uint32_t at = waiting.top().second;
      waiting.pop();
      if (is_done[at]) {
        continue;
      }
      is_done[at] = true;
      order.push_back(at);
      for (const PairGraph::Side& side : graph.sides[at]) {
        // Lengths of 0 and rounding make many paths equally long: those of fewer pairs are better.
        constexpr double of_a_pair = 1e-9;
        const double through = distance[at] + lengths[side.pair] + of_a_pair;
        if (through < distance[side.process]) {
          distance[side.process] = through;
          parent[side.process] = {at, side.pair};
          waiting.emplace(through, side.process);
        }
      }
    }
  }

  /// Adds to `uses` how many of the processes are behind each pair. `processes` are in this tree's
  /// order; `behind` is zero before and after.
  void count_uses(const std::vector<bool>& is_wanted, std::vector<std::uint32_t>& uses,
                  std::vector<std::uint32_t>& behind) const {
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      const std::uint32_t process = order[i];
      behind[process] += is_wanted[process] ? 1 : 0;
      if (behind[process] > 0) {
        uses[parent[process].pair] += behind[process];
        behind[parent[process].process] += behind[process];
        behind[process] = 0;
      }
    }
    behind[order.front()] = 0;
  }

  std::vector<double> distance;         ///< of each process
  std::vector<PairGraph::Side> parent;  ///< of each process but the root
  std::vector<std::uint32_t> order;     ///< nearest first, the root before all
};

std::uint64_t need_of(const std::vector<std::uint64_t>& needs, std::size_t count) {
  return count < needs.size() ? needs[count] : 0;
}

/// Shortfall of a sum below a need, as a part of the need; 0 or less where there is none.
double shortfall(double sum, std::uint64_t need) {
  return need == 0 ? 0 : 1 - sum / static_cast<double>(need);
}

/// The dual: how much of each tree to take, so that no pair is used more than its weight. Trees are
/// its columns, which are made as they are wanted (Gilmore & Gomory 1961).
class SpreadingProgramme {
 public:
  SpreadingProgramme(const Partners& partners, const SpreadingNeeds& needs)
      : graph_{partners}, needs_{needs} {
    scale_ = static_cast<double>(std::ranges::max(graph_.weights));
    model_.setLogLevel(0);
    const auto pairs = static_cast<int>(graph_.weights.size());
    model_.resize(pairs, 0);
    for (int pair = 0; pair < pairs; ++pair) {
      model_.setRowBounds(pair, -COIN_DBL_MAX, weight(static_cast<std::size_t>(pair)));
    }
  }

  /// A bound. It is less than the best of its kind where that would take more work.
  std::uint64_t solve(std::uint64_t most_work) {
    const std::size_t processes = graph_.sides.size();
    const std::uint64_t work_of_round =
        processes * (graph_.weights.size() + processes) +
        (needs_.among.empty() ? 0 : processes * processes * processes / 8);
    std::vector<double> lengths(graph_.weights.size(), needs_.of_pair);
    std::vector<double> enough(graph_.weights.size(), 1);
    stretch(enough, trees_of(enough));
    std::uint64_t work = 2 * work_of_round;
    // The best lengths lie between those of the programme, which violate trees that it has not
    // seen, and lengths that are enough. Trees that are short halfway between are better than those
    // of the former, which has pairs of no length beside very long ones (Wentges 1997).
    constexpr double share = 0.6;
    constexpr double tolerance = 1e-4;
    while (work < most_work && sum_of(enough) > sum_of(lengths) * (1 + tolerance)) {
      std::vector<double> between(lengths.size());
      for (std::size_t pair = 0; pair < between.size(); ++pair) {
        between[pair] = share * enough[pair] + (1 - share) * lengths[pair];
      }
      const std::vector<PathTree> trees = trees_of(between);
      work += work_of_round;
      const bool is_enough = !add_violated(trees);
      stretch(between, trees);
      if (sum_of(between) < sum_of(enough)) {
        enough = between;
      } else if (is_enough) {
        break;  // by rounding
      }
      if (is_enough) {
        continue;
      }
      model_.primal();
      if (model_.status() != 0) {
        return 0;
      }
      for (std::size_t pair = 0; pair < lengths.size(); ++pair) {
        lengths[pair] = needs_.of_pair + std::max(0.0, -model_.dualRowSolution()[pair]);
      }
      work += static_cast<std::uint64_t>(model_.numberIterations() + 1) *
              (trees_.size() + graph_.weights.size());
    }
    return value_of_dual();
  }

 private:
  /// Weight of a pair, as a part of the greatest.
  double weight(std::size_t pair) const {
    return static_cast<double>(graph_.weights[pair]) / scale_;
  }

  double sum_of(const std::vector<double>& lengths) const {
    double sum = 0;
    for (std::size_t pair = 0; pair < lengths.size(); ++pair) {
      sum += weight(pair) * lengths[pair];
    }
    return sum;
  }

  std::vector<PathTree> trees_of(const std::vector<double>& lengths) const {
    std::vector<PathTree> trees;
    const auto processes = static_cast<std::uint32_t>(graph_.sides.size());
    trees.reserve(processes);
    for (std::uint32_t root = 0; root < processes; ++root) {
      trees.emplace_back(graph_, root, lengths);
    }
    return trees;
  }

  /// Calls `visit(count, sum from the root, sum among all)` for the 2, 3, .. processes nearest to
  /// the root.
  template <class Visit>
  void for_each_ball(std::uint32_t root, const std::vector<PathTree>& trees, Visit visit) const {
    const std::vector<std::uint32_t>& order = trees[root].order;
    double from_one = 0;
    double among = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      from_one += trees[root].distance[order[i]];
      if (!needs_.among.empty()) {
        for (std::size_t j = 0; j < i; ++j) {
          among += 2 * trees[order[j]].distance[order[i]];
        }
      }
      visit(i + 1, from_one, among);
    }
  }

  /// Multiplies the lengths so that they are enough everywhere.
  void stretch(std::vector<double>& lengths, const std::vector<PathTree>& trees) const {
    double most = 0;
    for (std::uint32_t root = 0; root < trees.size(); ++root) {
      for_each_ball(root, trees, [&](std::size_t count, double from_one, double among) {
        most = std::max(most, static_cast<double>(need_of(needs_.from_one, count)) / from_one);
        if (const std::uint64_t need = need_of(needs_.among, count); need > 0) {
          most = std::max(most, static_cast<double>(need) / among);
        }
      });
    }
    for (double& length : lengths) {
      length = std::max<double>(length * most, needs_.of_pair);
    }
  }

  /// Adds the trees that are shortest for their needs, at most two for every root; whether there
  /// are any.
  bool add_violated(const std::vector<PathTree>& trees) {
    constexpr double least = 1e-5;
    const std::size_t before = trees_.size();
    for (std::uint32_t root = 0; root < trees.size(); ++root) {
      double worst_from_one = least;
      double worst_among = least;
      std::size_t from_one_count = 0;
      std::size_t among_count = 0;
      for_each_ball(root, trees, [&](std::size_t count, double from_one, double among) {
        const double of_one = shortfall(from_one, need_of(needs_.from_one, count));
        const double of_all = shortfall(among, need_of(needs_.among, count));
        if (of_one > worst_from_one) {
          worst_from_one = of_one;
          from_one_count = count;
        }
        if (of_all > worst_among) {
          worst_among = of_all;
          among_count = count;
        }
      });
      if (from_one_count > 0) {
        add_tree(std::span{trees}.subspan(root, 1), trees[root], from_one_count,
                 needs_.from_one[from_one_count]);
      }
      if (among_count > 0) {
        add_tree(trees, trees[root], among_count, needs_.among[among_count]);
      }
    }
    return trees_.size() > before;
  }

  /// Adds a tree for the `count` processes nearest to the root of `ball`: all trees together whose
  /// roots are among them.
  void add_tree(std::span<const PathTree> trees, const PathTree& ball, std::size_t count,
                std::uint64_t need) {
    std::vector<bool> is_wanted(graph_.sides.size());
    std::for_each_n(ball.order.begin(), count,
                    [&](std::uint32_t process) { is_wanted[process] = true; });
    std::vector<std::uint32_t> uses(graph_.weights.size());
    std::vector<std::uint32_t> behind(graph_.sides.size());
    for (const PathTree& tree : trees) {
      if (is_wanted[tree.order.front()]) {
        tree.count_uses(is_wanted, uses, behind);
      }
    }
    Tree added;
    added.need = need;
    std::vector<double> entries;
    double all_uses = 0;
    for (std::size_t pair = 0; pair < uses.size(); ++pair) {
      if (uses[pair] > 0) {
        added.pairs.push_back(static_cast<int>(pair));
        added.uses.push_back(uses[pair]);
        entries.push_back(static_cast<double>(uses[pair]) / static_cast<double>(need));
        all_uses += entries.back();
      }
    }
    // Weight of a pair beyond the trees counts with the pair's least length.
    const double gain = 1 - all_uses * needs_.of_pair;
    model_.addColumn(static_cast<int>(entries.size()), added.pairs.data(), entries.data(), 0,
                     COIN_DBL_MAX, -gain);
    trees_.push_back(std::move(added));
  }

  /// Whole multipliers of the trees, and the weights in the same units.
  std::uint64_t value_of_dual() const {
    const std::uint64_t most = std::ranges::max(graph_.weights);
    const int shift = std::max(0, 61 - static_cast<int>(std::bit_width(most)));
    // No tree is used more than its pairs have of weight, whatever the solver says.
    const double whole = std::ldexp(static_cast<double>(most), shift);
    std::vector<Int128> multipliers;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const double share = std::max(0.0, model_.primalColumnSolution()[i]);
      const double multiplier =
          std::ldexp(share * scale_ / static_cast<double>(trees_[i].need), shift);
      multipliers.push_back(static_cast<Int128>(std::min(multiplier, whole)));
    }
    make_feasible(multipliers, shift);
    std::vector<Int128> used = used_weights(multipliers);
    if (!is_feasible(used, shift)) {
      std::ranges::fill(multipliers, 0);
      std::ranges::fill(used, 0);
    }
    Int128 value = 0;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      value += multipliers[i] * static_cast<Int128>(trees_[i].need);
    }
    for (std::size_t pair = 0; pair < used.size(); ++pair) {
      value += ((static_cast<Int128>(graph_.weights[pair]) << shift) - used[pair]) * needs_.of_pair;
    }
    const Int128 one = Int128{1} << shift;
    return static_cast<std::uint64_t>((value + one - 1) / one);
  }

  std::vector<Int128> used_weights(const std::vector<Int128>& multipliers) const {
    std::vector<Int128> used(graph_.weights.size());
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      for (std::size_t entry = 0; entry < trees_[i].pairs.size(); ++entry) {
        used[static_cast<std::size_t>(trees_[i].pairs[entry])] +=
            multipliers[i] * trees_[i].uses[entry];
      }
    }
    return used;
  }

  bool is_feasible(const std::vector<Int128>& used, int shift) const {
    return std::ranges::equal(used, graph_.weights, [&](Int128 of_pair, std::uint64_t weight) {
      return of_pair <= static_cast<Int128>(weight) << shift;
    });
  }

  /// Lowers all multipliers in proportion until no pair uses more than its weight.
  void make_feasible(std::vector<Int128>& multipliers, int shift) const {
    const std::vector<Int128> used = used_weights(multipliers);
    double most = 1;
    for (std::size_t pair = 0; pair < used.size(); ++pair) {
      const Int128 weight = static_cast<Int128>(graph_.weights[pair]) << shift;
      if (used[pair] > weight) {
        most = std::max(most, static_cast<double>(used[pair]) / static_cast<double>(weight));
      }
    }
    if (most == 1) {
      return;
    }
    // Rounding of the quotient is far below the part that is given up.
    constexpr Int128 unit = Int128{1} << 50;
    const auto part = static_cast<Int128>(static_cast<double>(unit) / most * (1 - 1e-12)) - 1;
    for (Int128& multiplier : multipliers) {
      multiplier = multiplier / unit * part + multiplier % unit * part / unit;
    }
  }

  PairGraph graph_;
  const SpreadingNeeds& needs_;
  double scale_ = 1;
  ClpSimplex model_;
  std::vector<Tree> trees_;
};

}  // namespace

std::uint64_t spreading_bound(const Partners& partners, const SpreadingNeeds& needs,
                              std::uint64_t most_work) {
  if (partners.total_weight() == 0) {
    return 0;
  }
  SpreadingProgramme programme{partners, needs};
  return programme.solve(most_work);
}

}  // namespace dcube
