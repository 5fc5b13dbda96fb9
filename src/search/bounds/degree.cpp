#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/metrics/spheres.hpp"
#include "search/pairs.hpp"

namespace dcube {
namespace {

constexpr const char* degree = "degree: the heaviest partners of a process on the nearest nodes";
constexpr const char* degree_of_slots =
    "degree: the heaviest partners of a process on its own and the nearest nodes";
constexpr const char* connection =
    "connection: processes that flows join fill so many nodes, and the lightest flows join those";

}  // namespace

CostBound degree_bound(const SearchProblem& problem, const Partners& partners) {
  const Spheres spheres =
      widest_spheres(problem.topology, static_cast<std::uint32_t>(partners.most_partners()));
  return {partners.least_distances(spheres, problem.slots),
          problem.slots == 1 ? degree : degree_of_slots};
}

/// Processes that pairs join are on at least as many nodes as they fill, and pairs between those
/// nodes join the nodes. The lightest that can are the first of a least spanning tree (Kruskal
/// 1956).
CostBound connection_bound(const SearchProblem& problem, const Partners& partners) {
  struct Pair {
    std::uint64_t weight;
    std::uint32_t process;
    std::uint32_t other;
  };
  std::vector<Pair> pairs;
  for_each_pair(partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
    pairs.push_back({weight, a, b});
  });
  std::ranges::stable_sort(pairs, {}, &Pair::weight);
  boost::disjoint_sets_with_storage<> joined{partners.process_count()};
  std::erase_if(pairs, [&](const Pair& pair) {
    const bool are_joined = joined.find_set(pair.process) == joined.find_set(pair.other);
    joined.union_set(pair.process, pair.other);
    return are_joined;
  });
  std::vector<std::uint64_t> sizes(partners.process_count());
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    ++sizes[joined.find_set(process)];
  }
  // Pairs between the nodes of each component.
  std::vector<std::uint64_t> left =
      mapped(sizes, [&](std::uint64_t size) { return size == 0 ? 0 : (size - 1) / problem.slots; });
  std::uint64_t sum = 0;
  for (const Pair& pair : pairs) {
    if (std::uint64_t& of_component = left[joined.find_set(pair.process)]; of_component > 0) {
      sum += pair.weight;
      --of_component;
    }
  }
  return {sum, connection};
}

}  // namespace dcube
