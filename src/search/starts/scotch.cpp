#include <fmt/format.h>
#include <scotch.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
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
#include "starts.hpp"

// libscotch reports errors by three functions that its users define, or take from libscotcherr or
// libscotcherrexit, which prints and ends the program. These remember an error while dcube calls
// libscotch, and print it at other times. They are weak, so that a program that uses both dcube and
// Scotch may have its own.

namespace {

/// Target of error messages while dcube calls libscotch.
thread_local std::string* kept_error = nullptr;

class KeepingErrors {
 public:
  explicit KeepingErrors(std::string& error) { kept_error = &error; }
  KeepingErrors(const KeepingErrors&) = delete;
  KeepingErrors& operator=(const KeepingErrors&) = delete;
  ~KeepingErrors() { kept_error = nullptr; }
};

}  // namespace

extern "C" {

[[gnu::weak]] void SCOTCH_errorProg(const char* /*program*/) {}

[[gnu::weak]] void SCOTCH_errorPrint(const char* format, ...) {
  std::array<char, 256> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  if (kept_error != nullptr) {
    *kept_error = text.data();
  } else {
    fmt::print(stderr, "{}\n", text.data());
  }
}

[[gnu::weak]] void SCOTCH_errorPrintW(const char* /*format*/, ...) {}

}  // extern "C"

namespace dcube {
namespace {

constexpr std::uint64_t most_num = std::numeric_limits<SCOTCH_Num>::max();

void check(int status, const char* what) {
  if (status != 0) {
    const std::string said =
        kept_error != nullptr && !kept_error->empty() ? ": " + *kept_error : "";
    throw InputError("", fmt::format("libscotch cannot {}{}", what, said));
  }
}

/// A structure of libscotch: initialised, and given back at the end.
template <class Structure, int (*initialise)(Structure*), void (*give_back)(Structure*)>
class Owned {
 public:
  Owned() { check(initialise(&structure_), "start"); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { give_back(&structure_); }

  Structure* get() { return &structure_; }

 private:
  Structure structure_;
};

using Arch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Graph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

/// Settings of libscotch: one thread, because several share out large graphs differently in every
/// run, and random numbers of its own.
void prepare(SCOTCH_Context* context, std::uint64_t seed) {
  check(SCOTCH_contextThreadSpawn(context, 1, nullptr), "start its thread");
  check(SCOTCH_contextRandomClone(context), "start its random numbers");
  SCOTCH_contextRandomSeed(context, static_cast<SCOTCH_Num>(seed & most_num));
  SCOTCH_contextRandomReset(context);
}

/// Levels of a tree, the highest first.
struct Tree {
  std::vector<SCOTCH_Num> sizes;  ///< children of a node
  std::vector<SCOTCH_Num> costs;  ///< length of the way between leaves that part there
};

/// The tree whose leaves are as far from each other as the terminals of the machine, by the weights
/// of its links; empty where there is none. O(terminals * levels).
Tree tree_of(const Topology& topology) {
  const std::uint32_t leaves = topology.terminal_count();
  if (topology.structure().switches == 0) {
    return {};
  }
  const HopLengths lengths{topology};
  const auto distance = [&](std::uint32_t from, std::uint32_t to) {
    return lengths(NodeId{from}, NodeId{to});
  };
  Tree tree;
  for (std::uint32_t below = 1; below < leaves;) {
    const std::uint64_t hops = distance(0, below);
    std::uint32_t more = below;
    while (more < leaves && distance(0, more) <= hops) {
      more += below;
    }
    if (more > leaves || leaves % more != 0) {
      return {};
    }
    // Every leaf is that far from those of the next node, and of the first, with one parent.
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint32_t parent = leaf / more * more;
      const std::uint32_t next = parent + (leaf - parent + below) % more;
      const bool is_first = leaf - parent < below;
      if (distance(leaf, next) != hops || (!is_first && distance(leaf, parent) != hops)) {
        return {};
      }
    }
    tree.sizes.insert(tree.sizes.begin(), static_cast<SCOTCH_Num>(more / below));
    tree.costs.insert(tree.costs.begin(), static_cast<SCOTCH_Num>(hops));
    below = more;
  }
  return tree;
}

/// The machine as one of libscotch's regular targets, with all its links. Its vertex numbers are
/// ours: the first dimension varies fastest.
void describe_target(const Topology& machine, SCOTCH_Arch* arch) {
  const Topology& topology = without_failures(machine);
  const auto shape = topology.shape();
  std::vector<SCOTCH_Num> sides(shape.begin(), shape.end());
  const auto count = static_cast<SCOTCH_Num>(sides.size());
  if (topology.structure().is_cube) {
    check(SCOTCH_archHcub(arch, count), "describe the hypercube");
  } else if (wraps_around(topology)) {
    check(SCOTCH_archTorusX(arch, count, sides.data()), "describe the torus");
  } else if (has_open_ends(topology)) {
    check(SCOTCH_archMeshX(arch, count, sides.data()), "describe the mesh");
  } else if (const Tree tree = tree_of(topology); !tree.sizes.empty()) {
    check(SCOTCH_archTleaf(arch, static_cast<SCOTCH_Num>(tree.sizes.size()), tree.sizes.data(),
                           tree.costs.data()),
          "describe the tree");
  } else {
    throw InputError("", fmt::format("libscotch has no target for the {}", describe(topology)));
  }
}

/// Order in which the neighbours of a vertex are listed. libscotch breaks ties by it, and none is
/// always best: on a 16x16 torus with weights 2^i lists by number end at 1.608 hops a byte, by
/// weight at 1.365.
enum class Order { by_number, lightest_first, heaviest_first };

/// The traffic as libscotch takes it, one vertex for every slot: what has no process is alone.
/// libscotch puts as many vertices on one node as on another.
struct GraphArrays {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> neighbours;
  std::vector<SCOTCH_Num> weights;

  friend bool operator==(const GraphArrays&, const GraphArrays&) = default;
};

GraphArrays arrays_of(const Partners& partners, const SearchProblem& problem, Order order) {
  // Sums in libscotch are 32 bits wide; loads are weights times distances.
  const Tree tree = tree_of(without_failures(problem.topology));
  const std::uint64_t longest =
      tree.costs.empty() ? std::max(1U, problem.topology.node_count()) *
                               std::uint64_t{HopLengths{problem.topology}.greatest_weight()}
                         : static_cast<std::uint64_t>(tree.costs.front());
  const std::uint64_t room = most_num / 4 / longest;
  const std::uint64_t scale = 1 + partners.total_weight() / std::max<std::uint64_t>(1, room);
  GraphArrays arrays;
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
  return kept(numbered<SCOTCH_Num>(topology.node_count()), [&](SCOTCH_Num node) {
    return topology.is_usable(NodeId{static_cast<std::uint32_t>(node)});
  });
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

/// The map that libscotch makes of the graph onto these nodes, which ascend where processes are
/// pinned.
std::vector<NodeId> scotch_map(const SearchProblem& problem, const GraphArrays& arrays,
                               std::vector<SCOTCH_Num> nodes, std::uint64_t seed, Room room) {
  refuse_if(arrays.neighbours.size() > most_num || problem.slot_count() > most_num, "",
            "the traffic has more flows, or the machine more slots, than libscotch can count");
  if (nodes.size() == 1) {  // libscotch crashes on parts of one node
    const std::vector<SCOTCH_Num> parts(problem.traffic.process_count(), nodes.front());
    return within_slots(parts, problem);
  }
  std::string error;
  const KeepingErrors keeping{error};
  Arch machine;
  describe_target(problem.topology, machine.get());
  Arch part;
  const auto node_count = static_cast<SCOTCH_Num>(nodes.size());
  const bool is_part = nodes.size() < problem.topology.terminal_count();
  if (is_part) {
    check(SCOTCH_archSub(part.get(), machine.get(), node_count, nodes.data()),
          "describe a part of the machine");
  }
  Graph graph;
  // The last vertices have no process.
  const SCOTCH_Num slots = node_count * static_cast<SCOTCH_Num>(problem.slots);
  const auto processes = static_cast<SCOTCH_Num>(problem.traffic.process_count());
  const SCOTCH_Num vertices = room == Room::vertices ? slots : processes;
  const double excess = static_cast<double>(slots) / vertices - 1;
  check(SCOTCH_graphBuild(graph.get(), 0, vertices, arrays.first.data(), nullptr, nullptr, nullptr,
                          static_cast<SCOTCH_Num>(arrays.neighbours.size()),
                          arrays.neighbours.data(), arrays.weights.data()),
        "build the graph");
  Strategy strategy;
  check(SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY, node_count, excess),
        "choose a strategy");
  Context context;
  prepare(context.get(), seed);
  Graph bound;
  check(SCOTCH_contextBindGraph(context.get(), graph.get(), bound.get()), "bind the graph");
  std::vector<SCOTCH_Num> parts = fixed_parts(problem, nodes, static_cast<std::size_t>(vertices));
  const auto map_graph = problem.has_pins() ? SCOTCH_graphMapFixed : SCOTCH_graphMap;
  check(map_graph(bound.get(), is_part ? part.get() : machine.get(), strategy.get(), parts.data()),
        "map the graph");
  for (SCOTCH_Num& one : parts) {
    one = nodes[static_cast<std::size_t>(one)];
  }
  return within_slots(parts, problem);
}

/// Whether several slots a node leave some free, less than half.
bool has_some_room(const SearchProblem& problem) {
  const std::uint64_t processes = problem.traffic.process_count();
  return problem.slots > 1 && processes < problem.usable_slots() &&
         2 * processes > problem.usable_slots();
}

}  // namespace

bool has_scotch_target(const Topology& topology) {
  const Topology& whole = without_failures(topology);
  return wraps_around(whole) || has_open_ends(whole) || !tree_of(whole).sizes.empty();
}

std::vector<std::function<Start()>> scotch_mappings(const SearchProblem& problem,
                                                    std::uint64_t seed) {
  check_problem(problem);
  const Partners partners{problem.traffic, problem.objective};
  const std::array<std::pair<Order, const char*>, 3> orders{
      {{Order::by_number, "scotch"},
       {Order::lightest_first, "scotch, lightest first"},
       {Order::heaviest_first, "scotch, heaviest first"}}};
  std::vector<std::function<Start()>> mappings;
  std::vector<std::shared_ptr<const GraphArrays>> graphs;
  for (const auto& [order, name] : orders) {
    const auto graph = std::make_shared<const GraphArrays>(arrays_of(partners, problem, order));
    if (std::ranges::any_of(graphs, [&](const auto& other) { return *other == *graph; })) {
      continue;
    }
    graphs.push_back(graph);
    const auto add = [&](std::string embedding, std::vector<SCOTCH_Num> nodes, Room room) {
      mappings.emplace_back([&problem, seed, graph, embedding, nodes, room] {
        return Start{embedding, scotch_map(problem, *graph, nodes, seed, room)};
      });
    };
    add(name, all_nodes(problem.topology), Room::vertices);
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
