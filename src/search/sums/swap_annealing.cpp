#include "swap_annealing.hpp"

#include <algorithm>
#include <utility>

#include "maps.hpp"

namespace dcube {

SwapAnnealing::SwapAnnealing(const PlacementProblem& problem)
    : problem_{problem}, is_large_{problem.place_count() > most_places_drawn} {
  const auto add_places_of = [&](std::uint32_t node) {
    for (std::uint32_t place = problem.first[node]; place < problem.first[node + 1]; ++place) {
      near_places_.push_back(place);
    }
  };
  for (std::uint32_t node = 0; node < problem.near.size(); ++node) {
    first_near_.push_back(static_cast<std::uint32_t>(near_places_.size()));
    std::ranges::for_each(problem.near[node], add_places_of);
    if (problem.has_several_a_node()) {
      add_places_of(node);
    }
  }
  first_near_.push_back(static_cast<std::uint32_t>(near_places_.size()));
  if (!problem.movable.empty()) {
    SplitMix64 random{hash_of(0x7479706963616cU)};
    assign(random_places(problem, random));
    increase_of_random_maps_ = typical_increase(random);
  }
  make_costs();
}

void SwapAnnealing::make_costs() {
  const std::size_t places = problem_.node.size();
  if (problem_.movable.empty() || problem_.process_count() > most_tabled_places ||
      places > most_tabled_places) {
    return;
  }
  with_number_for(problem_,
                  [&](auto number) { costs_.emplace<PlaceCosts<decltype(number)>>(problem_); });
}

double SwapAnnealing::typical_increase(SplitMix64& random) {
  constexpr std::uint32_t samples = 1000;
  double sum = 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < samples; ++i) {
    const std::int64_t more = increase(draw(random));
    if (more > 0) {
      sum += static_cast<double>(more);
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

void SwapAnnealing::assign(std::vector<std::uint32_t> places) {
  place_ = std::move(places);
  occupant_.assign(problem_.place_count(), nobody);
  for (const std::uint32_t process : problem_.movable) {
    occupant_[place_[process]] = process;
  }
  node_.resize(place_.size());
  for (std::uint32_t process = 0; process < place_.size(); ++process) {
    node_[process] = problem_.node[place_[process]];
  }
  next_place_ = 0;
  tried_ = 0;
  cost_ = 0;
}

SwapAnnealing::Move SwapAnnealing::draw(SplitMix64& random) {
  const std::uint64_t word = random.next();
  const std::uint32_t process = draw_process(word);
  constexpr std::uint64_t sixteenths = 10;  // of the moves go beside a partner
  const auto partners = problem_.partners.of(process);
  if (word % 16 < sixteenths && !partners.empty()) {
    const std::uint64_t choice = random.next();
    constexpr std::uint64_t low = 0xffffffffU;
    const Partner& partner = partners[((choice >> 32U) * partners.size()) >> 32U];
    const std::uint32_t home = node_[partner.process.index()].index();
    const std::uint32_t first = first_near_[home];
    const std::uint64_t places = first_near_[home + 1] - first;
    if (places > 0) {
      return {process, near_places_[first + (((choice & low) * places) >> 32U)]};
    }
  }
  return {process, is_local_ ? wandered(place_[process], random)
                             : draw_below(random, problem_.place_count())};
}

std::uint32_t SwapAnnealing::draw_process(std::uint64_t word) {
  if (!is_large_) {
    return problem_.movable[static_cast<std::size_t>(bounded(word, problem_.movable.size()))];
  }
  do {
    next_place_ = next_place_ + 1 < occupant_.size() ? next_place_ + 1 : 0;
  } while (occupant_[next_place_] == nobody);
  return occupant_[next_place_];
}

std::uint32_t SwapAnnealing::wandered(std::uint32_t place, SplitMix64& random) const {
  constexpr std::uint32_t most_steps = 4;
  std::uint32_t node = problem_.node[place].index();
  for (std::uint32_t left = 1 + draw_below(random, most_steps); left > 0; --left) {
    const auto& near = problem_.near[node];
    if (!near.empty()) {
      node = near[draw_below(random, near.size())];
    }
  }
  const std::uint32_t slots = problem_.first[node + 1] - problem_.first[node];
  return slots == 0 ? place : problem_.first[node] + draw_below(random, slots);
}

std::int64_t SwapAnnealing::increase(const Move& move) const {
  const std::uint32_t other = occupant_[move.place];
  const NodeId from = node_[move.process];
  const NodeId to = problem_.node[move.place];
  if (from == to) {
    return 0;
  }
  // Unsigned sums wrap around and come back.
  std::uint64_t sum = 0;
  const auto add_all = [&](std::uint32_t process, std::uint32_t skipped, const auto& step_to) {
    for (const Partner& partner : problem_.partners.of(process)) {
      const std::uint32_t one = partner.process.index();
      sum += one == skipped ? 0 : partner.weight * step_to(node_[one]);
    }
  };
  const auto add = [&](std::uint32_t process, NodeId before, NodeId after, std::uint32_t skipped) {
    const std::uint16_t* const here = problem_.distances.row_of(before);
    const std::uint16_t* const there = problem_.distances.row_of(after);
    if (here != nullptr) {
      add_all(process, skipped,
              [&](NodeId at) { return std::uint64_t{there[at.index()]} - here[at.index()]; });
    } else {
      add_all(process, skipped, [&](NodeId at) {
        return std::uint64_t{problem_.distances(at, after)} - problem_.distances(at, before);
      });
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
    node_[other] = problem_.node[before];
  }
  occupant_[before] = other;
  place_[move.process] = move.place;
  node_[move.process] = problem_.node[move.place];
  occupant_[move.place] = move.process;
}

}  // namespace dcube
