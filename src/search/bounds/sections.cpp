#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "bounds.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

constexpr const char* sections =
    "sections: every link of a line between processes that flows join carries at least the least "
    "cut of these";

/// The pairs of some processes among each other, as a matrix.
class JoinedPairs {
 public:
  JoinedPairs(const Partners& partners, const std::vector<std::uint32_t>& processes)
      : size_{processes.size()}, weights_(size_ * size_) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (const Partner& partner : partners.of(processes[i])) {
        if (partner.weight > 0) {
          const auto other = std::ranges::lower_bound(processes, partner.process.index());
          weights_[i * size_ + static_cast<std::size_t>(other - processes.begin())] =
              partner.weight;
        }
      }
    }
  }

  /// The least weight of pairs between any part of them and the rest (Stoer & Wagner 1997): the
  /// last of an order, in which the process with the greatest weight to those before comes next, is
  /// cut off from them all at least cost among the cuts that part it from the last but one; then
  /// those two become one.
  std::uint64_t least_cut() {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::size_t> left(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      left[i] = i;
    }
    while (left.size() > 1) {
      std::vector<std::uint64_t> to_before(size_);
      std::vector<std::size_t> rest = left;
      std::size_t last_but_one = rest.front();
      std::size_t last = rest.front();
      std::uint64_t cut = 0;
      while (!rest.empty()) {
        const auto next = std::ranges::max_element(
            rest, {}, [&](std::size_t process) { return to_before[process]; });
        last_but_one = last;
        last = *next;
        cut = to_before[last];
        rest.erase(next);
        for (const std::size_t process : rest) {
          to_before[process] += weights_[last * size_ + process];
        }
      }
      least = std::min(least, cut);
      for (const std::size_t process : left) {
        weights_[last_but_one * size_ + process] += weights_[last * size_ + process];
        weights_[process * size_ + last_but_one] = weights_[last_but_one * size_ + process];
      }
      std::erase(left, last);
    }
    return least;
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> weights_;
};

/// Processes that pairs of any weight join, ascending, for each such set of two or more.
std::vector<std::vector<std::uint32_t>> joined_processes(const Partners& partners) {
  std::vector<std::vector<std::uint32_t>> components;
  std::vector<bool> is_seen(partners.process_count());
  for (std::uint32_t first = 0; first < partners.process_count(); ++first) {
    if (is_seen[first]) {
      continue;
    }
    is_seen[first] = true;
    std::vector<std::uint32_t> processes{first};
    for (std::size_t i = 0; i < processes.size(); ++i) {
      for (const Partner& partner : partners.of(processes[i])) {
        if (partner.weight > 0 && !is_seen[partner.process.index()]) {
          is_seen[partner.process.index()] = true;
          processes.push_back(partner.process.index());
        }
      }
    }
    if (processes.size() > 1) {
      std::ranges::sort(processes);
      components.push_back(std::move(processes));
    }
  }
  return components;
}

}  // namespace

CostBound section_bound(const SearchProblem& problem, const Partners& partners) {
  constexpr std::uint32_t most_processes = 300;
  if (!is_path(problem.topology) || partners.process_count() > most_processes) {
    return {};
  }
  CostBound bound{0, sections};
  for (const std::vector<std::uint32_t>& processes : joined_processes(partners)) {
    const std::uint64_t links = divided_up(processes.size(), problem.slots) - 1;
    bound.cost += links > 0 ? links * JoinedPairs{partners, processes}.least_cut() : 0;
  }
  return bound;
}

}  // namespace dcube
