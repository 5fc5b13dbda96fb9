#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "placement.hpp"
#include "search/pairs.hpp"

namespace dcube {

/// Limit of processes and of places: a larger table does not fit in a cache.
inline constexpr std::uint32_t most_tabled_places = 512;

/// Processes a node from which on groups of them move, where a table does not hold all.
inline constexpr std::uint64_t many_processes = 8;

/// Numbers in a row of PlaceCosts: whole vectors.
inline std::size_t padded_places(std::size_t places) {
  constexpr std::size_t vector = 16;
  return (places + vector - 1) / vector * vector;
}

/// Costs of each process on each place while all others stay where they are, in units of
/// the weights' common_divisor(). The exchanges of a process with whatever is on each place are
/// then valued together, by a few steps each, however many partners the processes have; an exchange
/// that is made changes a row for each partner. Increases must fit into Number; sums on the way
/// wrap around and come back.
template <class Number>
class PlaceCosts {
 public:
  /// `problem` must outlive it.
  explicit PlaceCosts(const PlacementProblem& problem)
      : problem_{problem},
        places_{problem.place_count()},
        width_{padded_places(places_)},
        unit_{common_divisor(problem.partners)},
        distances_(problem.node.size() * width_),
        costs_((problem.process_count() + std::size_t{1}) * width_),
        occupant_(places_),
        own_(places_),
        least_back_(width_),
        between_(places_),
        is_candidate_(width_),
        steps_(width_) {
    for (std::uint32_t a = 0; a < problem.node.size(); ++a) {
      for (std::uint32_t b = 0; b < width_; ++b) {
        const std::uint32_t place = std::min(b, problem.place_count() - 1);
        distances_[a * width_ + b] = static_cast<Number>(problem.distance(a, place));
      }
    }
    for (std::uint32_t process = 0; process < problem.process_count(); ++process) {
      first_.push_back(partners_.size());
      for (const Partner& partner : problem.partners.of(process)) {
        partners_.push_back({partner.process.index(), static_cast<Number>(partner.weight / unit_)});
      }
    }
    first_.push_back(partners_.size());
  }

  /// Cost that the number 1 stands for.
  std::uint64_t unit() const { return unit_; }

  void assign(std::span<const std::uint32_t> place_of_process) {
    place_.assign(place_of_process.begin(), place_of_process.end());
    std::ranges::fill(costs_, Number{0});
    std::ranges::fill(occupant_, problem_.process_count());  // whose row stays 0
    for (std::uint32_t process = 0; process < place_.size(); ++process) {
      add(process, distances_from(place_[process]), 1);
      if (place_[process] < places_) {
        occupant_[place_[process]] = process;
      }
    }
    for (std::uint32_t place = 0; place < places_; ++place) {
      see(place);
    }
  }

  /// The first place from `first` on, and from 0 on after the last one, with which an exchange of
  /// the process adds less than the place's threshold, and which is on another node; nobody if
  /// there is none.
  std::uint32_t place_below(std::uint32_t process, std::uint32_t first, const Number* thresholds) {
    if (!find_candidates(process, thresholds)) {
      return nobody;
    }
    const std::uint32_t from = place_[process];
    const Number* const there = costs_of(process);
    const Number* const apart = distances_from(from);
    // Both rows counted the pair as if its partner stayed; correct that.
    for (const Pair& partner : partners_of(process)) {
      if (const std::uint32_t place = place_[partner.process]; place < places_) {
        between_[place] = narrow(2 * partner.weight * apart[place]);
      }
    }
    const auto is_below = [&](std::size_t place) {
      const Number back = narrow(costs_of(occupant_[place])[from] - own_[place]);
      increase_ = narrow(narrow(there[place] - there[from]) + narrow(back + between_[place]));
      return increase_ < thresholds[place];
    };
    const std::uint32_t found = first_candidate(first, is_below);
    for (const Pair& partner : partners_of(process)) {
      if (const std::uint32_t place = place_[partner.process]; place < places_) {
        between_[place] = 0;
      }
    }
    return found;
  }
  /// Cost added by the exchange with the place found last.
  Number increase() const { return increase_; }

  void move(std::uint32_t process, std::uint32_t to) {
    const std::uint32_t from = place_[process];
    const std::uint32_t other = occupant_[to];
    const Number* const before = distances_from(from);
    const Number* const after = distances_from(to);
    for (std::size_t place = 0; place < width_; ++place) {
      steps_[place] = narrow(after[place] - before[place]);
    }
    occupant_[to] = process;
    occupant_[from] = other;
    place_[process] = to;
    const bool is_free = other == problem_.process_count();
    if (!is_free) {
      place_[other] = from;
    }
    step(process, 1);
    if (!is_free) {
      step(other, -1);
    }
    see(from);
    see(to);
  }

 private:
  struct Pair {
    std::uint32_t process;
    Number weight;
  };

  template <class Wide>
  static Number narrow(Wide number) {
    return static_cast<Number>(number);
  }
  const Number* costs_of(std::uint32_t process) const { return &costs_[process * width_]; }
  const Number* distances_from(std::uint32_t place) const { return &distances_[place * width_]; }
  std::span<const Pair> partners_of(std::uint32_t process) const {
    return std::span{partners_}.subspan(first_[process], first_[process + 1] - first_[process]);
  }

  /// Adds to the costs of the process's partners.
  void add(std::uint32_t process, const Number* distances, Number sign) {
    for (const Pair& partner : partners_of(process)) {
      const Number weight = narrow(sign * partner.weight);
      Number* const costs = &costs_[partner.process * width_];
      for (std::size_t place = 0; place < width_; ++place) {
        costs[place] = narrow(costs[place] + weight * distances[place]);
      }
    }
  }

  /// Adds `steps_` to the costs of the process's partners, and updates what see() computes.
  void step(std::uint32_t process, Number sign) {
    for (const Pair& partner : partners_of(process)) {
      const std::uint32_t at = place_[partner.process];
      if (at >= places_) {
        continue;  // it does not move
      }
      const Number weight = narrow(sign * partner.weight);
      Number* const costs = &costs_[partner.process * width_];
      const Number* const steps = steps_.data();
      const Number own = narrow(costs[at] + weight * steps[at]);
      const std::size_t width = width_;
      Number least = 0;
      for (std::size_t place = 0; place < width; ++place) {
        const Number cost = narrow(costs[place] + weight * steps[place]);
        costs[place] = cost;
        least = std::min(least, narrow(cost - own));
      }
      own_[at] = own;
      least_back_[at] = least;
    }
  }

  /// Computes the cost of the process there, and its greatest saving elsewhere.
  void see(std::uint32_t place) {
    const Number* const costs = costs_of(occupant_[place]);
    const Number own = costs[place];
    Number least = 0;
    for (std::size_t other = 0; other < width_; ++other) {
      least = std::min(least, narrow(costs[other] - own));
    }
    own_[place] = own;
    least_back_[place] = least;
  }

  /// Marks the places with which an exchange of the process may add less than their thresholds: it
  /// does not if whatever is there goes to its best place. Returns false if there is none.
  bool find_candidates(std::uint32_t process, const Number* thresholds) {
    const Number* const there = costs_of(process);
    const Number* const apart = distances_from(place_[process]);
    const Number here = there[place_[process]];
    const Number* const least_back = least_back_.data();
    char* const marks = is_candidate_.data();
    const std::size_t width = width_;
    Number is_any = 0;
    for (std::size_t place = 0; place < width; ++place) {
      const Number least = narrow(narrow(there[place] - here) + least_back[place]);
      const Number is_one =
          narrow((least < thresholds[place] ? 1 : 0) & (apart[place] != 0 ? 1 : 0));
      marks[place] = static_cast<char>(is_one);
      is_any |= is_one;
    }
    return is_any != 0;
  }

  /// The first candidate that fulfils `is_it`, from `first` on and then from 0 on; nobody if there
  /// is none.
  template <class IsIt>
  std::uint32_t first_candidate(std::size_t first, const IsIt& is_it) const {
    const auto search = [&](std::size_t begin, std::size_t end) {
      const char* const marks = is_candidate_.data();
      for (std::size_t place = begin; place < end; ++place) {
        const void* const next = std::memchr(marks + place, 1, end - place);
        if (next == nullptr) {
          return nobody;
        }
        place = static_cast<std::size_t>(static_cast<const char*>(next) - marks);
        if (is_it(place)) {
          return static_cast<std::uint32_t>(place);
        }
      }
      return nobody;
    };
    const std::uint32_t after = search(first, places_);
    return after != nobody ? after : search(0, first);
  }

  const PlacementProblem& problem_;
  std::size_t places_;  ///< for processes that may move
  std::size_t width_;   ///< of rows: places, and the last of them again
  std::uint64_t unit_;
  std::vector<std::size_t> first_;  ///< entry of partners_, of each process; one more at the end
  std::vector<Pair> partners_;
  std::vector<Number> distances_;        ///< of any place from one for processes that may move
  std::vector<Number> costs_;            ///< of a process on a place; the last row is of nobody
  std::vector<std::uint32_t> place_;     ///< of each process
  std::vector<std::uint32_t> occupant_;  ///< of each place; the number of processes when it is free
  std::vector<Number> own_;              ///< what the process on each place costs there
  std::vector<Number> least_back_;       ///< what the process on each place saves on its best one
  std::vector<Number> between_;          ///< by place, of the process asked for; 0 afterwards
  std::vector<char> is_candidate_;       ///< of each place
  std::vector<Number> steps_;            ///< to each place, of one move
  Number increase_ = 0;
};

}  // namespace dcube
