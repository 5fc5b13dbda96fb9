#include <algorithm>
#include <cstdlib>
#include <queue>
#include <utility>

#include "core/mapped.hpp"
#include "maps.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

class Growth {
 public:
  Growth(const PlacementProblem& problem, SplitMix64& random)
      : problem_{problem},
        random_{random},
        place_(problem.process_count(), nobody),
        is_taken_(problem.node.size()),
        bond_(problem.process_count()),
        tie_(problem.process_count()),
        is_from_the_edge_{draw_below(random, 2) == 0} {
    for (std::uint64_t& one : tie_) {
      one = random.next();
    }
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t process = 0; process < place_.size(); ++process) {
      if (problem_.pinned_place[process] != nobody) {
        put(process, problem_.pinned_place[process]);
      }
    }
    for (std::size_t placed = 0; placed < problem_.movable.size(); ++placed) {
      const std::uint32_t process = next_process();
      put(process, best_place(process));
    }
    return std::move(place_);
  }

 private:
  /// The bond of a process, its place among processes of one bond, the process.
  using Waiting = std::pair<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t>;

  /// The process with the strongest bond; any where none has one.
  std::uint32_t next_process() {
    while (!waiting_.empty()) {
      const auto [bond, process] = waiting_.top();
      waiting_.pop();
      if (place_[process] == nobody && bond.first == bond_[process]) {
        return process;
      }
    }
    if (unbound_.empty()) {
      unbound_ = problem_.movable;
      std::ranges::sort(unbound_, std::greater{}, [&](std::uint32_t one) { return rank(one); });
    }
    while (place_[unbound_.back()] != nobody) {
      unbound_.pop_back();
    }
    return unbound_.back();
  }

  /// Rank of a process that nothing binds; the lowest is placed first.
  std::pair<std::size_t, std::uint64_t> rank(std::uint32_t process) const {
    const std::size_t partners = problem_.partners.of(process).size();
    return {partners == 0 ? problem_.process_count() : (is_from_the_edge_ ? partners : 0),
            tie_[process]};
  }

  std::uint32_t best_place(std::uint32_t process) {
    if (problem_.place_count() <= most_compared_places) {
      find_candidates(process);
    } else {
      find_candidates_near(process);
    }
    narrow(process);
    return candidates_[draw_below(random_, candidates_.size())];
  }

  void put(std::uint32_t process, std::uint32_t place) {
    place_[process] = place;
    is_taken_[place] = true;
    for (const Partner& partner : problem_.partners.of(process)) {
      const std::uint32_t other = partner.process.index();
      bond_[other] += partner.weight;
      if (place_[other] == nobody) {
        waiting_.push({{bond_[other], tie_[other]}, other});
      }
    }
  }

  /// The free places that add least, one of a node.
  void find_candidates(std::uint32_t process) {
    candidates_.clear();
    for (std::uint32_t node = 0; node + 1 < problem_.first.size(); ++node) {
      consider(process, node);
    }
  }

  /// The first free place of the node is a candidate unless others add less.
  void consider(std::uint32_t process, std::uint32_t node) {
    const std::uint32_t place = free_place_of(node);
    if (place == nobody) {
      return;
    }
    std::uint64_t cost = 0;
    for (const Partner& partner : problem_.partners.of(process)) {
      if (const std::uint32_t other = place_[partner.process.index()]; other != nobody) {
        cost += partner.weight * problem_.distances(NodeId{node}, problem_.node[other]);
      }
    }
    if (candidates_.empty() || cost < least_) {
      least_ = cost;
      candidates_.clear();
    }
    if (cost == least_) {
      candidates_.push_back(place);
    }
  }

  std::uint32_t free_place_of(std::uint32_t node) const {
    for (std::uint32_t place = problem_.first[node]; place < problem_.first[node + 1]; ++place) {
      if (!is_taken_[place]) {
        return place;
      }
    }
    return nobody;
  }

  /// find_candidates() among the free places nearest to the heaviest partner: wave after wave from
  /// its node, until one has free places. Where none is near, the next free place by number.
  void find_candidates_near(std::uint32_t process) {
    constexpr std::size_t most_visited = 2000;
    candidates_.clear();
    const Partner* heaviest = nullptr;
    for (const Partner& partner : problem_.partners.of(process)) {
      if (place_[partner.process.index()] != nobody &&
          (heaviest == nullptr || partner.weight > heaviest->weight)) {
        heaviest = &partner;
      }
    }
    if (heaviest == nullptr) {
      candidates_.push_back(next_free(draw_below(random_, problem_.place_count())));
      return;
    }
    const std::uint32_t home = problem_.node[place_[heaviest->process.index()]].index();
    visited_.assign(1, home);
    visit_.resize(problem_.near.size());
    visit_[home] = ++visits_;
    consider(process, home);
    for (std::size_t begin = 0; candidates_.empty() && begin < visited_.size();) {
      const std::size_t end = visited_.size();
      for (; begin < end && visited_.size() < most_visited; ++begin) {
        for (const std::uint32_t node : problem_.near[visited_[begin]]) {
          if (visit_[node] != visits_) {
            visit_[node] = visits_;
            visited_.push_back(node);
            consider(process, node);
          }
        }
      }
      begin = end;
    }
    if (candidates_.empty()) {
      candidates_.push_back(next_free(std::min(problem_.first[home], problem_.place_count() - 1)));
    }
  }

  /// The first free place from this one on, and then from the lowest.
  std::uint32_t next_free(std::uint32_t place) {
    if (next_.empty()) {
      next_ = numbered(problem_.place_count());
    }
    const std::uint32_t places = problem_.place_count();
    std::uint32_t end = place;
    while (is_taken_[end]) {
      end = next_[end] == end ? (end + 1) % places : next_[end];
    }
    while (place != end && is_taken_[place]) {  // a shorter way for the next to ask
      const std::uint32_t after = next_[place] == place ? (place + 1) % places : next_[place];
      next_[place] = end;
      place = after;
    }
    return end;
  }

  /// Keeps the candidates that agree best with the traffic two steps away.
  void narrow(std::uint32_t process) {
    constexpr std::size_t most_partners = 16;
    if (candidates_.size() < 2 || problem_.partners.of(process).size() > most_partners) {
      return;
    }
    // Number of partners that the process has in common with each placed one.
    std::vector<std::uint32_t> second;
    for (const Partner& partner : problem_.partners.of(process)) {
      for (const Partner& next : problem_.partners.of(partner.process.index())) {
        if (next.process.index() != process && place_[next.process.index()] != nobody) {
          second.push_back(next.process.index());
        }
      }
    }
    std::ranges::sort(second);
    std::vector<std::uint32_t> kept;
    std::uint64_t least = 0;
    const std::int64_t unplaced = std::ranges::count_if(
        problem_.partners.of(process),
        [&](const Partner& partner) { return place_[partner.process.index()] == nobody; });
    for (const std::uint32_t place : candidates_) {
      std::uint64_t difference =
          static_cast<std::uint64_t>(std::abs(free_neighbours(place) - unplaced));
      for (std::size_t i = 0; i < second.size();) {
        std::size_t end = i;
        while (end < second.size() && second[end] == second[i]) {
          ++end;
        }
        const std::int64_t shared = shared_neighbours(place, place_[second[i]]);
        difference +=
            static_cast<std::uint64_t>(std::abs(shared - static_cast<std::int64_t>(end - i)));
        i = end;
      }
      if (kept.empty() || difference < least) {
        least = difference;
        kept.clear();
      }
      if (difference == least) {
        kept.push_back(place);
      }
    }
    candidates_ = std::move(kept);
  }

  std::int64_t free_neighbours(std::uint32_t place) const {
    std::int64_t count = 0;
    for (const std::uint32_t node : problem_.near[problem_.node[place].index()]) {
      for (std::uint32_t one = problem_.first[node]; one < problem_.first[node + 1]; ++one) {
        count += is_taken_[one] ? 0 : 1;
      }
    }
    return count;
  }

  std::int64_t shared_neighbours(std::uint32_t a, std::uint32_t b) const {
    const auto& of_a = problem_.near[problem_.node[a].index()];
    const auto& of_b = problem_.near[problem_.node[b].index()];
    return std::ranges::count_if(
        of_a, [&](std::uint32_t node) { return std::ranges::binary_search(of_b, node); });
  }

  const PlacementProblem& problem_;
  SplitMix64& random_;
  std::vector<std::uint32_t> place_;
  std::vector<bool> is_taken_;
  std::vector<std::uint64_t> bond_;  ///< of each process to the placed ones
  std::vector<std::uint64_t> tie_;
  std::vector<std::uint32_t> unbound_;  ///< in the order in which they are placed, last first
  bool is_from_the_edge_;               ///< beginning with a process of few partners
  std::priority_queue<Waiting> waiting_;
  std::vector<std::uint32_t> candidates_;
  std::uint64_t least_ = 0;             ///< what a candidate adds
  std::vector<std::uint32_t> visited_;  ///< nodes, of one search for candidates
  std::vector<std::uint32_t> visit_;    ///< the last search that visited a node
  std::uint32_t visits_ = 0;
  std::vector<std::uint32_t> next_;  ///< a place at or before the next free one
};

}  // namespace

std::vector<std::uint32_t> grown_places(const PlacementProblem& problem, SplitMix64& random) {
  return Growth{problem, random}.run();
}

}  // namespace dcube
