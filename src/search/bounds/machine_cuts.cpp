#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bisection.hpp"
#include "bounds.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "spreading.hpp"

namespace dcube {
namespace {

constexpr const char* cuts =
    "cut: what so many processes and the others exchange at least, over the links between two "
    "parts of the machine";

/// Two parts of the machine.
struct MachineCut {
  std::uint64_t links = 0;  ///< between them
  // Processes in one of the parts:
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  /// Least number of processes in the part that has fewer.
  std::uint64_t least_apart(std::uint64_t processes) const {
    return std::min(least, processes - most);
  }

  friend auto operator<=>(const MachineCut&, const MachineCut&) = default;
};

/// The machine's links and the slots of its nodes.
class Machine {
 public:
  explicit Machine(const SearchProblem& problem) : problem_{problem} {
    const Topology& topology = problem.topology;
    neighbours_.resize(topology.node_count());
    for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
      if (const std::optional<Link> link = topology.link(LinkId{slot})) {
        neighbours_[link->from.index()].push_back(link->to);
      }
    }
  }

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  const std::vector<NodeId>& neighbours(std::uint32_t node) const { return neighbours_[node]; }

  MachineCut around(const std::vector<bool>& is_inside) const {
    MachineCut cut;
    std::uint64_t inside = 0;
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      if (is_inside[node]) {
        inside += problem_.topology.is_usable(NodeId{node}) ? problem_.slots : 0;
        cut.links += static_cast<std::uint64_t>(std::ranges::count_if(
            neighbours_[node], [&](NodeId other) { return !is_inside[other.index()]; }));
      }
    }
    const std::uint64_t outside = problem_.usable_slots() - inside;
    const std::uint64_t processes = problem_.traffic.process_count();
    cut.least = processes - std::min(processes, outside);
    cut.most = std::min(processes, inside);
    return cut;
  }

 private:
  const SearchProblem& problem_;
  std::vector<std::vector<NodeId>> neighbours_;  ///< [node]: once for each of parallel links
};

/// Adds the cuts between neighbouring coordinates of each dimension; a cycle is cut at its ends,
/// too.
void add_planes(const Topology& topology, const Machine& machine, std::vector<MachineCut>& found) {
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    for (std::uint32_t place = 1; place < side; ++place) {
      std::vector<bool> is_inside(machine.node_count());
      for (std::uint32_t node = 0; node < machine.node_count(); ++node) {
        is_inside[node] = node / stride % side < place;
      }
      found.push_back(machine.around(is_inside));
    }
    stride *= side;
  }
}

/// Adds the cuts around all nodes within 0, 1, .. hops of the centre.
void add_balls(std::uint32_t centre, const Machine& machine, std::vector<MachineCut>& found) {
  std::vector<bool> is_inside(machine.node_count());
  is_inside[centre] = true;
  std::vector<std::uint32_t> wave{centre};
  while (!wave.empty()) {
    found.push_back(machine.around(is_inside));
    std::vector<std::uint32_t> next;
    for (const std::uint32_t node : wave) {
      for (const NodeId other : machine.neighbours(node)) {
        if (!is_inside[other.index()]) {
          is_inside[other.index()] = true;
          next.push_back(other.index());
        }
      }
    }
    wave = std::move(next);
  }
}

std::vector<MachineCut> cuts_of(const SearchProblem& problem) {
  constexpr std::uint64_t most_steps = 10'000'000;
  const Machine machine{problem};
  std::vector<MachineCut> found;
  if (has_coordinates(problem.topology)) {
    add_planes(problem.topology, machine, found);
  }
  const std::uint64_t nodes = problem.topology.node_count();
  const std::uint64_t of_a_centre = nodes * (nodes + 2 * problem.topology.link_count());
  const auto centres = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(most_steps / std::max<std::uint64_t>(1, of_a_centre), 1, nodes));
  for (std::uint32_t i = 0; i < centres; ++i) {
    add_balls(static_cast<std::uint32_t>(i * nodes / centres), machine, found);
  }
  const std::uint64_t processes = problem.traffic.process_count();
  std::erase_if(found, [&](const MachineCut& cut) {
    return cut.links == 0 || cut.least_apart(processes) == 0;
  });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Least weight that two parts of a cube's processes exchange. The k heaviest dimensions form cubes
/// of 2^k processes. Whole ones exchange nothing, and it is best if all but one are whole: what m
/// processes of one exchange with its others is at least k m less twice the pairs among the first m
/// (Harper 1964), and two such parts exchange no less than the one of as many processes modulo 2^k.
std::uint64_t section_of_cube(std::vector<std::uint64_t> weights, const MachineCut& cut) {
  std::ranges::sort(weights, std::greater{});
  const std::uint64_t processes = std::uint64_t{1} << weights.size();
  std::vector<std::uint64_t> inside(processes + 1);  // pairs among the first m
  for (std::uint64_t m = 1; m <= processes; ++m) {
    inside[m] = inside[m - 1] + static_cast<std::uint64_t>(std::popcount(m - 1));
  }
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t apart = cut.least; apart <= cut.most; ++apart) {
    std::uint64_t exchanged = 0;
    for (std::uint64_t k = 1; k <= weights.size(); ++k) {
      const std::uint64_t step = weights[k - 1] - (k < weights.size() ? weights[k] : 0);
      const std::uint64_t m = apart % (std::uint64_t{1} << k);
      exchanged += step * (k * m - 2 * inside[m]);
    }
    least = std::min(least, exchanged);
  }
  return least;
}

/// Least weight that the processes in the two parts exchange.
std::uint64_t section_of(const Partners& partners, const MachineCut& cut) {
  if (const auto weights = partners.cube_weights()) {
    return section_of_cube(*weights, cut);
  }
  // Processes in different parts are at distance 1, others at 0.
  const std::uint64_t processes = partners.process_count();
  const std::uint64_t least_apart = cut.least_apart(processes);
  SpreadingNeeds needs;
  for (std::uint64_t count = 0; count <= processes; ++count) {
    const std::uint64_t apart = count - std::min(count, processes - least_apart);
    needs.from_one.push_back(apart);
    needs.among.push_back(2 * apart * (count - apart));
  }
  constexpr std::uint64_t most_work = 3'000'000;
  return std::max(spreading_bound(partners, needs, std::min(50 * processes * processes, most_work)),
                  spectral_cut(partners, cut.least, cut.most));
}

}  // namespace

CostBound cut_bound(const SearchProblem& problem, const Partners& partners) {
  constexpr std::uint32_t most_nodes = 4096;
  constexpr std::uint64_t most_pair_steps = 2'000'000;
  const std::uint64_t processes = partners.process_count();
  if (problem.topology.node_count() > most_nodes || processes > most_nodes ||
      (!partners.cube_weights() &&
       processes * (problem.traffic.flows().size() + processes) > most_pair_steps)) {
    return {};
  }
  std::vector<MachineCut> found = cuts_of(problem);
  // Cuts come first that have much traffic for their links if all pairs exchange the same.
  const auto promise = [&](const MachineCut& cut) {
    const std::uint64_t apart = cut.least_apart(processes);
    return static_cast<double>(apart * (processes - apart)) / static_cast<double>(cut.links);
  };
  std::ranges::stable_sort(found, std::greater{}, promise);
  const std::size_t most_looked_at = partners.cube_weights() ? 1000 : 3;
  CostBound bound{0, cuts};
  for (const MachineCut& cut : std::span{found}.first(std::min(found.size(), most_looked_at))) {
    const std::uint64_t servers =
        problem.sharing == LinkSharing::directed ? 2 * cut.links : cut.links;
    bound.cost = std::max(bound.cost, divided_up(section_of(partners, cut), servers));
  }
  return bound;
}

}  // namespace dcube
