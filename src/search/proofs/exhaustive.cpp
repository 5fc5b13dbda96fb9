#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "partial_bound.hpp"
#include "search/objectives/distances.hpp"
#include "symmetries.hpp"

namespace dcube {
namespace {

/// Larger machines have more maps than can be enumerated.
constexpr std::uint32_t most_nodes = 64;
constexpr std::uint32_t most_processes = 256;
constexpr std::uint64_t maps_between_polls = 4096;

[[noreturn]] void throw_too_many() {
  throw InputError("",
                   "more maps of least cost than 64 bits can count; leave out processes without "
                   "flows");
}

/// The order of the processes that are not pinned: process 0 first, then always the one with most
/// partners among those before it and the pinned ones, the lowest of equals. Processes without
/// flows come last and need no enumeration.
std::vector<std::uint32_t> order_of(const SearchProblem& problem) {
  const Partners partners{problem.traffic, problem.objective};
  const std::uint32_t processes = partners.process_count();
  std::vector<std::uint32_t> order;
  std::vector<bool> is_in(processes);
  for (std::uint32_t process = 0; process < processes; ++process) {
    is_in[process] = problem.is_pinned(process);
  }
  if (!is_in[0]) {
    order.push_back(0);
    is_in[0] = true;
  }
  const auto links = [&](std::uint32_t process) {
    return std::ranges::count_if(partners.of(process), [&](const Partner& partner) {
      return is_in[partner.process.index()];
    });
  };
  while (order.size() < processes) {
    const std::vector<std::uint32_t> left = kept(numbered(processes), [&](std::uint32_t process) {
      return !is_in[process] && !partners.of(process).empty();
    });
    if (left.empty()) {
      break;
    }
    order.push_back(*std::ranges::max_element(left, {}, links));
    is_in[order.back()] = true;
  }
  return order;
}

/// The symmetries that keep what a map costs and where pinned processes are.
std::vector<Symmetry> symmetries_of(const SearchProblem& problem) {
  std::vector<Symmetry> group = problem.has(&ObjectiveTraits::needs_routes)
                                    ? route_symmetries_of(problem.topology)
                                    : symmetries_of(problem.topology);
  std::erase_if(group, [&](const Symmetry& symmetry) {
    return std::ranges::any_of(problem.pins, [&](const std::optional<NodeId>& pin) {
      return pin && symmetry[pin->index()] != *pin;
    });
  });
  // Links of one rate are alike. Which of several rates a symmetry keeps is not looked into.
  std::set<std::uint64_t> rates;
  for (std::uint32_t slot = 0; slot < problem.rates.units.size(); ++slot) {
    if (problem.topology.link(LinkId{slot})) {
      rates.insert(problem.rates.units[slot]);
    }
  }
  if (problem.has(&ObjectiveTraits::needs_rates) && rates.size() > 1) {
    group.resize(1);
  }
  return group;
}

constexpr std::uint64_t past_64_bits = std::numeric_limits<std::uint64_t>::max();

/// Binomial coefficients i over 0, 1, .., for i up to `most`. One that is past 64 bits is
/// `past_64_bits`.
std::vector<std::vector<std::uint64_t>> binomials(std::size_t most) {
  std::vector<std::vector<std::uint64_t>> rows;
  for (std::size_t i = 0; i <= most; ++i) {
    std::vector<std::uint64_t>& row = rows.emplace_back(i + 1, 1);
    for (std::size_t j = 1; j < i; ++j) {
      if (__builtin_add_overflow(rows[i - 1][j - 1], rows[i - 1][j], &row[j])) {
        row[j] = past_64_bits;
      }
    }
  }
  return rows;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (a == past_64_bits || b == past_64_bits || __builtin_mul_overflow(a, b, &result)) {
    throw_too_many();
  }
  return result;
}

bool has_constant_distances(const SearchProblem& problem, std::span<const NodeId> map) {
  for (std::size_t bit = 1; bit < map.size(); bit *= 2) {
    for (std::size_t process = 0; process < map.size(); ++process) {
      if (problem.topology.distance(map[process], map[process ^ bit]) !=
          problem.topology.distance(map[0], map[bit])) {
        return false;
      }
    }
  }
  return true;
}

class Enumeration {
 public:
  Enumeration(const SearchProblem& problem, const ExhaustiveSettings& settings,
              const SearchControl& control)
      : problem_{problem},
        settings_{settings},
        control_{control},
        distances_{problem.topology},
        order_{order_of(problem)},
        bound_{problem, distances_} {
    for (std::uint32_t process = 0; process < problem.pins.size(); ++process) {
      if (problem.is_pinned(process)) {
        bound_.place(process, *problem.pins[process]);
        ++pinned_;
      }
    }
    const std::size_t placed = order_.size() + pinned_;
    is_cube_ = cube_weights(problem.traffic) && placed == problem.traffic.process_count();
    choices_ = binomials(problem.traffic.process_count() - placed);
    proof_.symmetries = symmetries_of(problem);
    stabilizers_.emplace(proof_.symmetries);
  }

  ExhaustiveProof run() {
    proof_.found = anneal(problem_, {.seed = 1, .effort = moves_before()},
                          {.should_stop = control_.should_stop});
    proof_.found.moves = 0;
    do {
      start_over_ = false;
      proof_.optima = proof_.optima_fixed = proof_.optima_fixed_constant = 0;
      proof_.levels =
          mapped(order_, [](std::uint32_t process) { return SearchLevel{ProcessId{process}}; });
      descend(0, 1);
    } while (start_over_);
    proof_.is_complete = !is_over_;
    return std::move(proof_);
  }

 private:
  /// Few where there are few maps: to try them all takes less time then.
  std::uint64_t moves_before() const {
    constexpr std::uint64_t most = 50'000;
    constexpr std::uint64_t of_maps = 8;
    std::uint64_t maps = 1;
    for (std::size_t i = 0; i < order_.size() && maps < of_maps * most; ++i) {
      maps *= problem_.topology.usable_count();
    }
    return std::clamp<std::uint64_t>(maps / of_maps, 1, most);
  }

  /// This partial map stands for `alike` partial maps.
  void descend(std::size_t level, std::uint64_t alike) {
    if (level == order_.size()) {
      count(alike);
      return;
    }
    for (std::uint32_t node = 0; node < problem_.topology.node_count() && !has_to_stop(); ++node) {
      if (bound_.is_free(NodeId{node}) && stabilizers_->is_first_of_its_kind(NodeId{node})) {
        try_node(level, alike, NodeId{node});
      }
    }
  }

  void try_node(std::size_t level, std::uint64_t alike, NodeId node) {
    SearchLevel& here = proof_.levels[level];
    ++here.tried;
    ++proof_.found.moves;
    bound_.place(here.process.index(), node);
    if (bound_.least_cost(proof_.found.cost) > proof_.found.cost) {
      ++here.pruned;
    } else {
      const std::uint64_t nodes_alike = stabilizers_->fix(node);
      if (here.process == ProcessId{0}) {
        first_alike_ = nodes_alike;
      }
      descend(level + 1, alike * nodes_alike);
      stabilizers_->unfix();
    }
    bound_.remove(here.process.index());
  }

  /// Takes a whole map that costs no more than the best so far.
  void count(std::uint64_t alike) {
    const std::vector<NodeId> map = completed();
    const std::uint64_t cost = cost_of(problem_, map);
    if (cost < proof_.found.cost) {
      proof_.found.cost = cost;
      proof_.found.map = map;
      proof_.found.origin = "exhaustive";
      start_over_ = true;  // to count and to prune by the new limit
      return;
    }
    const std::uint64_t maps = product(alike, ways_of_the_rest());
    if (__builtin_add_overflow(proof_.optima, maps, &proof_.optima)) {
      throw_too_many();
    }
    if (map[0] == NodeId{0}) {  // the lowest of the nodes that are alike
      proof_.optima_fixed += maps / first_alike_;
      if (is_cube_ && has_constant_distances(problem_, map)) {
        proof_.optima_fixed_constant += maps / first_alike_;
      }
    }
  }

  /// Processes without flows go anywhere.
  std::vector<NodeId> completed() const {
    std::vector<NodeId> map = bound_.map();
    std::uint32_t node = 0;
    std::uint32_t used = 0;
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      if (!problem_.is_pinned(process) && std::ranges::find(order_, process) == order_.end()) {
        while (used == bound_.free()[node]) {
          ++node;
          used = 0;
        }
        map[process] = NodeId{node};
        ++used;
      }
    }
    return map;
  }

  /// Number of ways in which processes without flows can be on nodes with free slots. ways[n]: n of
  /// them, on the nodes so far; i of the n are on the last.
  std::uint64_t ways_of_the_rest() const {
    std::vector<std::uint64_t> ways(choices_.size());
    ways[0] = 1;
    for (const std::uint32_t free : bound_.free()) {
      for (std::size_t n = ways.size() - 1; n > 0; --n) {
        for (std::size_t i = 1; i <= std::min<std::size_t>(n, free); ++i) {
          if (ways[n - i] > 0 &&
              __builtin_add_overflow(ways[n], product(choices_[n][i], ways[n - i]), &ways[n])) {
            throw_too_many();
          }
        }
      }
    }
    return ways.back();
  }

  bool has_to_stop() {
    if (proof_.found.moves % maps_between_polls == 0 &&
        control_.stops_at({proof_.found.moves, settings_.effort, proof_.found.cost})) {
      is_over_ = proof_.found.is_cut_short = true;
    }
    is_over_ = is_over_ || proof_.found.moves >= settings_.effort;
    return is_over_ || start_over_;
  }

  const SearchProblem& problem_;
  const ExhaustiveSettings& settings_;
  const SearchControl& control_;
  Distances distances_;
  std::vector<std::uint32_t> order_;
  PartialBounds bound_;
  std::size_t pinned_ = 0;  ///< processes
  bool is_cube_ = false;
  std::vector<std::vector<std::uint64_t>> choices_;  ///< of some of the processes without flows
  std::optional<Stabilizers> stabilizers_;
  ExhaustiveProof proof_;
  std::uint64_t first_alike_ = 1;
  bool start_over_ = false;
  bool is_over_ = false;
};

}  // namespace

ExhaustiveProof enumerate(const SearchProblem& problem, const ExhaustiveSettings& settings,
                          const SearchControl& control) {
  check_problem(problem);
  refuse_if(traits_of(problem.objective).is_simulated, "",
            "no enumeration simulates; it proves the other objectives");
  refuse_if(problem.topology.node_count() > most_nodes, "",
            "the {} has more than {} nodes, too many maps to enumerate", describe(problem.topology),
            most_nodes);
  refuse_if(problem.traffic.process_count() > most_processes, "",
            "more than {} processes, too many maps to enumerate", most_processes);
  return Enumeration{problem, settings, control}.run();
}

}  // namespace dcube
