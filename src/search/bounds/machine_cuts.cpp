#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "machine_parts.hpp"

namespace dcube {
namespace {

constexpr const char* cuts =
    "cut: what so many processes and the others exchange at least, over the links between two "
    "parts of the machine";

/// Least number of processes in the part that has fewer.
std::uint64_t least_in_a_part(const Parts& parts, std::uint64_t processes) {
  return std::min<std::uint64_t>(parts.least, processes - parts.most);
}

/// Least weight that two parts of a cube's processes exchange. The k heaviest dimensions form cubes
/// of 2^k processes. Whole ones exchange nothing, and it is best if all but one are whole: what m
/// processes of one exchange with its others is at least k m less twice the pairs among the first m
/// (Harper 1964), and two such parts exchange no less than the one of as many processes modulo 2^k.
std::uint64_t section_of_cube(std::vector<std::uint64_t> weights, const Parts& parts) {
  std::ranges::sort(weights, std::greater{});
  const std::uint64_t processes = std::uint64_t{1} << weights.size();
  std::vector<std::uint64_t> inside(processes + 1);  // pairs among the first m
  for (std::uint64_t m = 1; m <= processes; ++m) {
    inside[m] = inside[m - 1] + static_cast<std::uint64_t>(std::popcount(m - 1));
  }
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t apart = parts.least; apart <= parts.most; ++apart) {
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
std::uint64_t section_of(const Partners& partners, const Parts& parts) {
  if (const auto weights = partners.cube_weights()) {
    return section_of_cube(*weights, parts);
  }
  // Processes in different parts are at distance 1, others at 0.
  const std::uint64_t processes = partners.process_count();
  const std::uint64_t least_apart = least_in_a_part(parts, processes);
  SpreadingNeeds needs;
  for (std::uint64_t count = 0; count <= processes; ++count) {
    const std::uint64_t apart = count - std::min(count, processes - least_apart);
    needs.from_one.push_back(apart);
    needs.among.push_back(2 * apart * (count - apart));
  }
  constexpr std::uint64_t most_work = 3'000'000;
  return std::max(spreading_bound(partners, needs, std::min(50 * processes * processes, most_work)),
                  spectral_cut(partners, parts.least, parts.most));
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
  MachineParts machine{problem};
  machine.add_planes();
  constexpr std::uint64_t most_steps = 10'000'000;
  const std::uint64_t nodes = problem.topology.node_count();
  const std::uint64_t of_a_centre = nodes * (nodes + 2 * problem.topology.link_count());
  machine.add_balls(most_steps / std::max<std::uint64_t>(1, of_a_centre));
  std::vector<Parts> found = machine.take();
  // Parts come first that have much traffic for their links if all pairs exchange the same.
  const auto promise = [&](const Parts& parts) {
    const std::uint64_t apart = least_in_a_part(parts, processes);
    return static_cast<double>(apart * (processes - apart)) / static_cast<double>(parts.speed);
  };
  std::ranges::stable_sort(found, std::greater{}, promise);
  const std::size_t most_looked_at = partners.cube_weights() ? 1000 : 3;
  CostBound bound{0, cuts};
  for (const Parts& parts : first_of(found, most_looked_at)) {
    bound.cost = std::max(bound.cost, parts.cost(section_of(partners, parts)));
  }
  return bound;
}

}  // namespace dcube
