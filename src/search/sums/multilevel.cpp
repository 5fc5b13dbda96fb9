#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "maps.hpp"
#include "placement.hpp"
#include "population.hpp"
#include "search/pairs.hpp"
#include "search/walks/draws.hpp"
#include "swap_annealing.hpp"

namespace dcube {
namespace {

/// A grid whose nodes are numbered by their coordinates.
struct Grid {
  std::string kind;
  std::vector<std::uint32_t> sides;

  std::uint32_t node_count() const {
    return std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies{});
  }
  std::unique_ptr<Topology> topology() const {
    return make_topology(group_of({{"kind", kind}, {"shape", numbers_setting(sides)}}));
  }
};

/// Grid with the machine's distances.
Grid grid_of(const Topology& topology) {
  const auto sides = topology.shape();
  return {wraps_around(topology) ? "torus" : "mesh", {sides.begin(), sides.end()}};
}

/// The dimension in which blocks are made: the longest with an even side.
std::optional<std::size_t> dimension_to_halve(const Grid& grid) {
  std::optional<std::size_t> longest;
  for (std::size_t dimension = 0; dimension < grid.sides.size(); ++dimension) {
    const std::uint32_t side = grid.sides[dimension];
    if (side % 2 == 0 && (!longest || side > grid.sides[*longest])) {
      longest = dimension;
    }
  }
  return longest;
}

/// Processes as a walk in depth meets them, so that those in a row are near each other.
std::vector<std::uint32_t> in_depth(const Partners& partners) {
  std::vector<std::uint32_t> order;
  std::vector<bool> is_met(partners.process_count());
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t first = 0; first < partners.process_count(); ++first) {
    waiting.push_back(first);
    while (!waiting.empty()) {
      const std::uint32_t process = waiting.back();
      waiting.pop_back();
      if (is_met[process]) {
        continue;
      }
      is_met[process] = true;
      order.push_back(process);
      for (const Partner& partner : partners.of(process)) {
        if (!is_met[partner.process.index()]) {
          waiting.push_back(partner.process.index());
        }
      }
    }
  }
  return order;
}

/// The group of each process: two have one. A process joins its heaviest partner that is free;
/// those that find none join the next one that found none either.
std::vector<std::uint32_t> joined_in_pairs(const Partners& partners, SplitMix64& random) {
  const std::uint32_t count = partners.process_count();
  std::vector<std::uint32_t> order = numbered(count);
  shuffle(order, random);
  std::vector<std::uint32_t> group(count, nobody);
  std::uint32_t groups = 0;
  for (const std::uint32_t process : order) {
    if (group[process] != nobody) {
      continue;
    }
    const Partner* heaviest = nullptr;
    for (const Partner& partner : partners.of(process)) {
      if (group[partner.process.index()] == nobody &&
          (heaviest == nullptr || partner.weight > heaviest->weight)) {
        heaviest = &partner;
      }
    }
    if (heaviest != nullptr) {
      group[process] = group[heaviest->process.index()] = groups++;
    }
  }
  std::uint32_t alone = nobody;
  for (const std::uint32_t process : in_depth(partners)) {
    if (group[process] != nobody) {
      continue;
    }
    if (alone == nobody) {
      alone = process;
    } else {
      group[process] = group[alone] = groups++;
      alone = nobody;
    }
  }
  return group;
}

class Multilevel {
 public:
  Multilevel(std::uint64_t seed, std::uint32_t jobs, const SearchControl& control)
      : random_{hash_of(seed, 0x6d756c7469U)}, seed_{seed}, jobs_{jobs}, control_{control} {}

  /// The node of each process. As many processes as nodes.
  std::vector<NodeId> map(const Grid& grid, const Traffic& traffic) {
    const std::unique_ptr<Topology> topology = grid.topology();
    const SearchProblem problem{.topology = *topology, .traffic = traffic};
    const auto halved = dimension_to_halve(grid);
    if (grid.node_count() <= most_places_searched_whole || !halved) {
      return searched(problem);
    }
    const PlacementProblem placement{problem};
    std::vector<NodeId> nodes = unfolded(grid, *halved, placement);
    if (control_.should_stop && control_.should_stop()) {
      return nodes;
    }
    return mended(placement, nodes);
  }

 private:
  std::vector<NodeId> searched(const SearchProblem& problem) {
    constexpr std::uint64_t effort = 2'000'000;
    const PlacementProblem placement{problem};
    const std::vector<NodeId> identity =
        numbered(problem.traffic.process_count(), [](std::uint32_t node) { return NodeId{node}; });
    const SearchControl quiet{.should_stop = control_.should_stop};
    const PopulationSettings settings{.seed = seed_, .effort = effort, .jobs = jobs_, .floor = 0};
    return placement.map_of(
        improve(placement, {individual_of(placement, identity)}, settings, quiet).best.places);
  }

  /// Maps the pairs onto blocks of two nodes, then each of a pair onto one of the two.
  std::vector<NodeId> unfolded(const Grid& grid, std::size_t halved,
                               const PlacementProblem& placement) {
    Grid blocks = grid;
    blocks.sides[halved] /= 2;
    const std::vector<std::uint32_t> group = joined_in_pairs(placement.partners, random_);
    const std::vector<NodeId> block_of =
        map(blocks, traffic_of_groups(placement.partners, group, placement.process_count() / 2));
    std::uint32_t stride = 1;
    for (std::size_t dimension = 0; dimension < halved; ++dimension) {
      stride *= grid.sides[dimension];
    }
    std::vector<bool> has_first(block_of.size());
    std::vector<NodeId> nodes;
    for (std::uint32_t process = 0; process < group.size(); ++process) {
      const std::uint32_t block = block_of[group[process]].index();
      const std::uint32_t below = block % stride;
      const std::uint32_t first = below + (block - below) * 2;
      nodes.emplace_back(first + (has_first[group[process]] ? stride : 0));
      has_first[group[process]] = true;
    }
    return nodes;
  }

  std::vector<NodeId> mended(const PlacementProblem& placement, std::span<const NodeId> nodes) {
    // Coarse levels are small, and what is wrong there is never mended later.
    constexpr std::uint64_t moves = 4'000'000;
    const std::uint64_t moves_of_a_place = std::clamp<std::uint64_t>(moves / nodes.size(), 24, 200);
    // Numbers that follow the places keep together in memory what belongs together.
    std::vector<std::uint32_t> order(nodes.size());
    for (std::uint32_t process = 0; process < nodes.size(); ++process) {
      order[nodes[process].index()] = process;
    }
    const PlacementProblem ordered{placement, order};
    SwapAnnealing annealing{ordered};
    const std::vector<std::uint32_t> places =
        annealing.run(numbered(order.size()), cool_gently, moves_of_a_place * order.size(), random_,
                      [&] { return control_.should_stop && control_.should_stop(); });
    std::vector<NodeId> mended(order.size());
    for (std::size_t number = 0; number < order.size(); ++number) {
      mended[order[number]] = NodeId{places[number]};
    }
    return mended;
  }

  SplitMix64 random_;
  std::uint64_t seed_;
  std::uint32_t jobs_;
  const SearchControl& control_;
};

}  // namespace

std::optional<std::vector<NodeId>> multilevel_map(const SearchProblem& problem, std::uint64_t seed,
                                                  std::uint32_t jobs,
                                                  const SearchControl& control) {
  const Topology& topology = problem.topology;
  if ((!wraps_around(topology) && !has_open_ends(topology)) || problem.slots > 1 ||
      problem.has_unusable_nodes() || problem.has_pins() ||
      !dimension_to_halve(grid_of(topology))) {
    return std::nullopt;
  }
  Multilevel multilevel{seed, jobs, control};
  if (traits_of(problem.objective).flow_weight == FlowWeight::bytes &&
      problem.traffic.process_count() == topology.node_count()) {
    return multilevel.map(grid_of(topology), problem.traffic);
  }
  // Weights as the objective has them; every node has a process, if one without flows.
  const Partners partners{problem.traffic, problem.objective};
  const Traffic traffic =
      traffic_of_groups(partners, numbered(partners.process_count()), topology.node_count());
  std::vector<NodeId> map = multilevel.map(grid_of(topology), traffic);
  map.resize(problem.traffic.process_count());
  return map;
}

}  // namespace dcube
