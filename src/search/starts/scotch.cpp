#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/routing.hpp"
#include "libscotch.hpp"
#include "search/bounds/slot_distances.hpp"
#include "starts.hpp"

namespace dcube {
namespace {

/// The machine as one of libscotch's regular targets, with all its links. Its vertex numbers are
/// ours: the first dimension varies fastest.
void describe_target(const Topology& machine, SCOTCH_Arch* arch) {
  const Topology& topology = without_failures(machine);
  const auto shape = topology.shape();
  std::vector<SCOTCH_Num> sides(shape.begin(), shape.end());
  const auto count = static_cast<SCOTCH_Num>(sides.size());
  if (topology.structure().is_cube) {
    libscotch::check(SCOTCH_archHcub(arch, count), "describe the hypercube");
  } else if (wraps_around(topology)) {
    libscotch::check(SCOTCH_archTorusX(arch, count, sides.data()), "describe the torus");
  } else if (has_open_ends(topology)) {
    libscotch::check(SCOTCH_archMeshX(arch, count, sides.data()), "describe the mesh");
  } else if (const SwitchTree tree = switch_tree(topology); !tree.sizes.empty()) {
    const auto number = [](auto value) { return static_cast<SCOTCH_Num>(value); };
    const std::vector<SCOTCH_Num> sizes = mapped(tree.sizes, number);
    const std::vector<SCOTCH_Num> costs = mapped(tree.costs, number);
    libscotch::check(SCOTCH_archTleaf(arch, number(sizes.size()), sizes.data(), costs.data()),
                     "describe the tree");
  } else {
    throw InputError("", fmt::format("libscotch has no target for the {}", describe(topology)));
  }
}

/// Order in which the neighbours of a vertex are listed. libscotch breaks ties by it, and none is
/// always best: on a 16x16 torus with weights 2^i lists by number end at 1.608 hops a byte, by
/// weight at 1.365.
enum class Order { by_number, lightest_first, heaviest_first };

/// The traffic with one vertex for every slot: what has no process is alone. libscotch puts as many
/// vertices on one node as on another.
libscotch::Graph arrays_of(const Partners& partners, const SearchProblem& problem, Order order) {
  // Sums in libscotch are 32 bits wide; loads are weights times distances.
  const SwitchTree tree = switch_tree(without_failures(problem.topology));
  const std::uint64_t longest =
      tree.costs.empty() ? std::max(1U, problem.topology.node_count()) *
                               std::uint64_t{HopLengths{problem.topology}.greatest_weight()}
                         : tree.costs.front();
  const std::uint64_t room = libscotch::most_num / 4 / longest;
  const std::uint64_t scale = 1 + partners.total_weight() / std::max<std::uint64_t>(1, room);
  libscotch::Graph arrays;
  for (std::uint64_t slot = 0; slot < problem.slot_count(); ++slot) {
    const auto process = static_cast<std::uint32_t>(slot);
    if (process < partners.process_count()) {
      const auto of_process = partners.of(process);
      std::vector<Partner> listed{of_process.begin(), of_process.end()};
      if (order == Order::lightest_first) {
        std::ranges::stable_sort(listed, std::less{}, &Partner::weight);
      } else if (order == Order::heaviest_first) {
        std::ranges::stable_sort(listed, std::greater{}, &Partner::weight);
      }
      for (const Partner& partner : listed) {
        arrays.neighbours.push_back(static_cast<SCOTCH_Num>(partner.process.index()));
        arrays.weights.push_back(
            static_cast<SCOTCH_Num>(std::max<std::uint64_t>(1, partner.weight / scale)));
      }
    }
    arrays.first.push_back(static_cast<SCOTCH_Num>(arrays.neighbours.size()));
  }
  return arrays;
}

/// Vertices that a node has no slots for: all but the first go to the nearest nodes with free
/// slots. Pinned processes come first.
std::vector<NodeId> within_slots(const std::vector<SCOTCH_Num>& parts,
                                 const SearchProblem& problem) {
  std::vector<std::uint32_t> free = slots_of_nodes(problem);
  std::vector<NodeId> map;
  std::vector<std::uint32_t> movable;
  for (std::uint32_t process = 0; process < problem.traffic.process_count(); ++process) {
    if (problem.is_pinned(process)) {
      map.push_back(*problem.pins[process]);
      --free[map.back().index()];
    } else {
      map.emplace_back(static_cast<std::uint32_t>(parts[process]));
      movable.push_back(process);
    }
  }
  settle(map, movable, std::move(free), problem.topology);
  return map;
}

/// Nodes that may host processes.
std::vector<SCOTCH_Num> all_nodes(const Topology& topology) {
  return mapped(usable_nodes(topology),
                [](NodeId node) { return static_cast<SCOTCH_Num>(node.index()); });
}

/// As many nodes as the processes fill, those nearest to the middle of the machine; nothing unless
/// these are several and at most half of the machine, and no process is pinned. libscotch spreads
/// vertices without processes evenly, and with them the others.
std::vector<SCOTCH_Num> few_nodes(const SearchProblem& problem) {
  const Topology& topology = problem.topology;
  const std::uint32_t filled =
      (problem.traffic.process_count() + problem.slots - 1) / problem.slots;
  if (problem.slots == 1 || filled < 2 || filled > topology.usable_count() / 2 ||
      problem.has_pins()) {
    return {};
  }
  std::uint32_t middle = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    middle += side / 2 * stride;
    stride *= side;
  }
  std::vector<SCOTCH_Num> nodes = all_nodes(topology);
  std::ranges::stable_sort(nodes, {}, [&](SCOTCH_Num node) {
    return without_failures(topology).distance(NodeId{middle},
                                               NodeId{static_cast<std::uint32_t>(node)});
  });
  nodes.resize(filled);
  return nodes;
}

/// The vertex of the target for every vertex of the graph that has to be on one, of those for
/// `nodes`; -1 for the others.
std::vector<SCOTCH_Num> fixed_parts(const SearchProblem& problem,
                                    const std::vector<SCOTCH_Num>& nodes, std::size_t vertices) {
  std::vector<SCOTCH_Num> parts(vertices, -1);
  for (std::uint32_t process = 0; process < problem.pins.size(); ++process) {
    if (problem.is_pinned(process)) {
      const auto node = static_cast<SCOTCH_Num>(problem.pins[process]->index());
      parts[process] =
          static_cast<SCOTCH_Num>(std::ranges::lower_bound(nodes, node) - nodes.begin());
    }
  }
  return parts;
}

/// What keeps nodes within their slots: vertices without processes, of which libscotch puts as many
/// on one node as on another, or its own limit of the excess over the mean.
enum class Room { vertices, excess };

/// What libscotch takes for the distances of nodes: those of the machine, or 1.
enum class Apart { by_links, by_one };

void refuse_more_than_scotch_counts(const SearchProblem& problem, const libscotch::Graph& arrays) {
  refuse_if(
      arrays.neighbours.size() > libscotch::most_num || problem.slot_count() > libscotch::most_num,
      "", "the traffic has more flows, or the machine more slots, than libscotch can count");
}

/// The map that libscotch makes of the graph onto these nodes, which ascend where processes are
/// pinned.
std::vector<NodeId> scotch_map(const SearchProblem& problem, const libscotch::Graph& arrays,
                               std::vector<SCOTCH_Num> nodes, std::uint64_t seed, Room room,
                               Apart apart) {
  refuse_more_than_scotch_counts(problem, arrays);
  if (nodes.size() == 1) {  // libscotch crashes on parts of one node
    const std::vector<SCOTCH_Num> parts(problem.traffic.process_count(), nodes.front());
    return within_slots(parts, problem);
  }
  const libscotch::KeepingErrors keeping;
  libscotch::Arch machine;
  libscotch::Arch part;
  const auto node_count = static_cast<SCOTCH_Num>(nodes.size());
  const bool is_part = apart == Apart::by_links && nodes.size() < problem.topology.terminal_count();
  if (apart == Apart::by_one) {
    libscotch::check(SCOTCH_archCmplt(machine.get(), node_count), "describe the nodes");
  } else {
    describe_target(problem.topology, machine.get());
  }
  if (is_part) {
    libscotch::check(SCOTCH_archSub(part.get(), machine.get(), node_count, nodes.data()),
                     "describe a part of the machine");
  }
  // The last vertices have no process.
  const SCOTCH_Num slots = node_count * static_cast<SCOTCH_Num>(problem.slots);
  const auto processes = static_cast<SCOTCH_Num>(problem.traffic.process_count());
  const SCOTCH_Num vertices = room == Room::vertices ? slots : processes;
  std::vector<SCOTCH_Num> parts = fixed_parts(problem, nodes, static_cast<std::size_t>(vertices));
  libscotch::map_onto(is_part ? part.get() : machine.get(), node_count, arrays,
                      {.seed = seed,
                       .excess = static_cast<double>(slots) / vertices - 1,
                       .has_fixed = problem.has_pins()},
                      parts);
  for (SCOTCH_Num& one : parts) {
    one = nodes[static_cast<std::size_t>(one)];
  }
  return within_slots(parts, problem);
}

/// Processes for some leaves of a tree, of which the first is given.
struct Branch {
  std::uint32_t first_leaf = 0;
  std::vector<SCOTCH_Num> processes;
};

/// Maps of a tree of switches that part the processes from the highest level down: little traffic
/// between its largest branches, then between the branches of these (Schulz & Traeff 2017).
class ByLevels {
 public:
  ByLevels(const SearchProblem& problem, const libscotch::Graph& arrays, std::uint64_t seed)
      : problem_{problem}, arrays_{arrays}, seed_{seed}, number_(arrays.first.size(), -1) {}

  std::vector<NodeId> map(const SwitchTree& tree) {
    const libscotch::KeepingErrors keeping;
    const std::uint32_t processes = problem_.traffic.process_count();
    std::vector<Branch> branches{{0, numbered<SCOTCH_Num>(processes)}};
    std::uint32_t leaves = problem_.topology.terminal_count();
    for (const std::uint32_t count : tree.sizes) {
      leaves /= count;
      std::vector<Branch> below;
      for (const Branch& branch : branches) {
        std::ranges::move(shared_out(branch, count, leaves), std::back_inserter(below));
      }
      branches = std::move(below);
    }
    std::vector<SCOTCH_Num> leaf(processes);
    for (const Branch& branch : branches) {
      for (const SCOTCH_Num process : branch.processes) {
        leaf[static_cast<std::size_t>(process)] = static_cast<SCOTCH_Num>(branch.first_leaf);
      }
    }
    return within_slots(leaf, problem_);
  }

 private:
  /// The `count` branches below this one that have usable ones among so many leaves each, with its
  /// processes. What a node may have over the mean is left to the highest levels, where links cost
  /// most.
  std::vector<Branch> shared_out(const Branch& branch, std::uint32_t count, std::uint32_t leaves) {
    std::vector<Branch> below;
    std::vector<SCOTCH_Num> usable;  // leaves of each
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t first = branch.first_leaf + i * leaves;
      if (const SCOTCH_Num some = usable_leaves(first, leaves); some > 0) {
        below.push_back({first, {}});
        usable.push_back(some);
      }
    }
    std::vector<SCOTCH_Num> parts(branch.processes.size(), 0);
    if (below.size() > 1 && !parts.empty()) {
      part(branch, usable, parts);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      below[static_cast<std::size_t>(parts[i])].processes.push_back(branch.processes[i]);
    }
    return below;
  }

  void part(const Branch& branch, const std::vector<SCOTCH_Num>& usable,
            std::vector<SCOTCH_Num>& parts) {
    const auto count = static_cast<SCOTCH_Num>(usable.size());
    // libscotch makes worse parts for weighted nodes, even where they weigh the same.
    const bool are_equal = std::ranges::count(usable, usable.front()) == count;
    libscotch::Arch target;
    libscotch::check(are_equal ? SCOTCH_archCmplt(target.get(), count)
                               : SCOTCH_archCmpltw(target.get(), count, usable.data()),
                     "describe the branches");
    const double room = problem_.slots * std::accumulate(usable.begin(), usable.end(), 0.0);
    libscotch::map_onto(target.get(), count, libscotch::part_of(arrays_, branch.processes, number_),
                        {.seed = seed_,
                         .strategy = SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE,
                         .excess = std::max(0.0, room / static_cast<double>(parts.size()) - 1)},
                        parts);
  }

  SCOTCH_Num usable_leaves(std::uint32_t first, std::uint32_t count) const {
    SCOTCH_Num usable = 0;
    for (std::uint32_t leaf = first; leaf < first + count; ++leaf) {
      usable += problem_.topology.is_usable(NodeId{leaf}) ? 1 : 0;
    }
    return usable;
  }

  const SearchProblem& problem_;
  const libscotch::Graph& arrays_;
  std::uint64_t seed_;
  std::vector<SCOTCH_Num> number_;  ///< of part_of()
};

/// Whether several slots a node leave some free, less than half.
bool has_some_room(const SearchProblem& problem) {
  const std::uint64_t processes = problem.traffic.process_count();
  return problem.slots > 1 && processes < problem.usable_slots() &&
         2 * processes > problem.usable_slots();
}

}  // namespace

bool has_scotch_target(const Topology& topology) {
  const Topology& whole = without_failures(topology);
  return wraps_around(whole) || has_open_ends(whole) || !switch_tree(whole).sizes.empty();
}

std::vector<std::function<Start()>> scotch_mappings(const SearchProblem& problem,
                                                    std::uint64_t seed) {
  check_problem(problem);
  const Partners partners{problem.traffic, problem.objective};
  const SwitchTree tree = switch_tree(without_failures(problem.topology));
  const std::array<std::pair<Order, const char*>, 3> orders{
      {{Order::by_number, "scotch"},
       {Order::lightest_first, "scotch, lightest first"},
       {Order::heaviest_first, "scotch, heaviest first"}}};
  std::vector<std::function<Start()>> mappings;
  std::vector<std::shared_ptr<const libscotch::Graph>> graphs;
  for (const auto& [order, name] : orders) {
    const auto graph =
        std::make_shared<const libscotch::Graph>(arrays_of(partners, problem, order));
    if (std::ranges::any_of(graphs, [&](const auto& other) { return *other == *graph; })) {
      continue;
    }
    graphs.push_back(graph);
    const auto add = [&](std::string embedding, std::vector<SCOTCH_Num> nodes, Room room,
                         Apart apart = Apart::by_links) {
      mappings.emplace_back([&problem, seed, graph, embedding, nodes, room, apart] {
        return Start{embedding, scotch_map(problem, *graph, nodes, seed, room, apart)};
      });
    };
    if (problem.has_many_a_node() && order == Order::by_number) {
      if (tree.sizes.size() > 1 && !problem.has_pins()) {
        mappings.emplace_back([&problem, seed, graph, tree] {
          refuse_more_than_scotch_counts(problem, *graph);
          return Start{"scotch, level by level", ByLevels{problem, *graph, seed}.map(tree)};
        });
      } else {
        add("scotch, parts", all_nodes(problem.topology), Room::excess, Apart::by_one);
      }
    }
    // With many a node, vertices without processes take longest and are never best.
    if (!problem.has_many_a_node() || !has_some_room(problem)) {
      add(name, all_nodes(problem.topology), Room::vertices);
    }
    if (has_some_room(problem)) {
      add(fmt::format("{}, uneven", name), all_nodes(problem.topology), Room::excess);
    }
    if (std::vector<SCOTCH_Num> few = few_nodes(problem); !few.empty()) {
      add(fmt::format("{}, few nodes", name), std::move(few), Room::vertices);
    }
  }
  return mappings;
}

std::vector<Start> scotch_starts(const SearchProblem& problem, std::uint64_t seed) {
  return mapped(scotch_mappings(problem, seed), [](const auto& mapping) { return mapping(); });
}

FoundMap map_with_scotch(const SearchProblem& problem, std::uint64_t seed) {
  return best_of(problem, scotch_starts(problem, seed));
}

}  // namespace dcube
