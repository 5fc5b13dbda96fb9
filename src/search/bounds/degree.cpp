#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "bounds.hpp"
#include "dcube/metrics/spheres.hpp"

namespace dcube {
namespace {

constexpr const char* degree = "degree: the heaviest partners of a process on the nearest nodes";
constexpr const char* degree_of_slots =
    "degree: the heaviest partners of a process on its own and the nearest nodes";
constexpr const char* connection =
    "connection: processes that flows join fill so many nodes, and the lightest flows join those";

/// Which processes pairs have joined so far.
class Joined {
 public:
  explicit Joined(std::uint32_t processes) : parent_(processes) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  std::uint32_t root(std::uint32_t process) {
    while (parent_[process] != process) {
      process = parent_[process] = parent_[parent_[process]];
    }
    return process;
  }

  /// Whether they were apart.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Processes that pairs join are on at least as many nodes as they fill, and pairs between those
/// nodes join the nodes. The lightest that can are the first of a least spanning tree (Kruskal
/// 1956).
std::uint64_t least_between_nodes(const Partners& partners, std::uint32_t slots) {
  struct Pair {
    std::uint64_t weight;
    std::uint32_t process;
    std::uint32_t other;
  };
  std::vector<Pair> pairs;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (process < partner.process.index()) {
        pairs.push_back({partner.weight, process, partner.process.index()});
      }
    }
  }
  std::ranges::stable_sort(pairs, {}, &Pair::weight);
  Joined joined{partners.process_count()};
  std::erase_if(pairs, [&](const Pair& pair) { return !joined.join(pair.process, pair.other); });
  std::vector<std::uint64_t> sizes(partners.process_count());
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    ++sizes[joined.root(process)];
  }
  std::vector<std::uint64_t> left;  // pairs between the nodes of each component
  std::ranges::transform(sizes, std::back_inserter(left),
                         [&](std::uint64_t size) { return size == 0 ? 0 : (size - 1) / slots; });
  std::uint64_t sum = 0;
  for (const Pair& pair : pairs) {
    if (std::uint64_t& of_component = left[joined.root(pair.process)]; of_component > 0) {
      sum += pair.weight;
      --of_component;
    }
  }
  return sum;
}

}  // namespace

CostBound degree_bound(const SearchProblem& problem, const Partners& partners) {
  const Spheres spheres =
      widest_spheres(problem.topology, static_cast<std::uint32_t>(partners.most_partners()));
  return {partners.least_distances(spheres, problem.slots),
          problem.slots == 1 ? degree : degree_of_slots};
}

CostBound connection_bound(const SearchProblem& problem, const Partners& partners) {
  return {problem.slots > 1 ? least_between_nodes(partners, problem.slots) : 0, connection};
}

}  // namespace dcube
