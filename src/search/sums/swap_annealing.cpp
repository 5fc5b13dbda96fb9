#include "swap_annealing.hpp"

#include <numeric>
#include <utility>

#include "random_places.hpp"
#include "search/draws.hpp"

namespace dcube {

SwapAnnealing::SwapAnnealing(const PlacementProblem& problem) : problem_{problem} {
  constexpr std::uint32_t samples = 1000;
  if (problem.movable.empty()) {
    return;
  }
  SplitMix64 random{hash_of(0x7479706963616cU)};
  assign(random_places(problem, random));
  double sum = 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < samples; ++i) {
    const std::int64_t more = increase(draw(random));
    if (more > 0) {
      sum += static_cast<double>(more);
      ++count;
    }
  }
  typical_increase_ = count == 0 ? 0 : sum / count;
}

void SwapAnnealing::assign(std::vector<std::uint32_t> places) {
  place_ = std::move(places);
  occupant_.assign(problem_.place_count(), nobody);
  for (const std::uint32_t process : problem_.movable) {
    occupant_[place_[process]] = process;
  }
}

SwapAnnealing::Move SwapAnnealing::draw(SplitMix64& random) const {
  const std::uint64_t word = random.next();
  const std::uint32_t process =
      problem_.movable[static_cast<std::size_t>(bounded(word, problem_.movable.size()))];
  constexpr std::uint64_t sixteenths = 10;  // of the moves go beside a partner
  const auto partners = problem_.partners.of(process);
  if (word % 16 < sixteenths && !partners.empty()) {
    const std::uint32_t partner = partners[draw_below(random, partners.size())].process.index();
    const std::uint32_t home = problem_.node[place_[partner]].index();
    const auto& near = problem_.near[home];
    // The nodes of a partner with several slots are as good as the nodes beside it.
    const std::uint32_t choices = static_cast<std::uint32_t>(near.size()) +
                                  (problem_.search.slots > 1 ? 1 : 0);
    if (choices > 0) {
      const std::uint32_t choice = draw_below(random, choices);
      const std::uint32_t node = choice < near.size() ? near[choice] : home;
      const std::uint32_t slots = problem_.first[node + 1] - problem_.first[node];
      if (slots > 0) {
        return {process, problem_.first[node] + (slots == 1 ? 0 : draw_below(random, slots))};
      }
    }
  }
  return {process, draw_below(random, problem_.place_count())};
}

std::int64_t SwapAnnealing::increase(const Move& move) const {
  const std::uint32_t other = occupant_[move.place];
  const NodeId from = problem_.node[place_[move.process]];
  const NodeId to = problem_.node[move.place];
  if (from == to) {
    return 0;
  }
  // Unsigned sums wrap around and come back.
  std::uint64_t sum = 0;
  const auto add = [&](std::uint32_t process, NodeId before, NodeId after, std::uint32_t skipped) {
    for (const Partner& partner : problem_.partners.of(process)) {
      const std::uint32_t one = partner.process.index();
      if (one != skipped) {
        const NodeId at = problem_.node[place_[one]];
        sum += partner.weight *
               (std::uint64_t{problem_.distances(at, after)} - problem_.distances(at, before));
      }
    }
  };
  add(move.process, from, to, other);
  if (other != nobody) {
    add(other, to, from, move.process);
  }
  return static_cast<std::int64_t>(sum);
}

void SwapAnnealing::make(const Move& move) {
  const std::uint32_t other = occupant_[move.place];
  const std::uint32_t before = place_[move.process];
  if (other != nobody) {
    place_[other] = before;
  }
  occupant_[before] = other;
  place_[move.process] = move.place;
  occupant_[move.place] = move.process;
}

}  // namespace dcube
