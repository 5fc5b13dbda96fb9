#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement.hpp"

namespace dcube {

/// Of processes and of places: what is kept of more of them does not fit in a cache.
inline constexpr std::uint32_t most_tabled_places = 512;

/// What each process costs on each place while all others stay where they are, in units of
/// `unit_of(problem)`. The exchanges of a process with whatever is on each place are then valued
/// together, by a few steps each, however many partners the processes have; an exchange that is
/// made changes a row for each partner. Increases must fit into Number; sums on the way wrap around
/// and come back.
template <class Number>
class PlaceCosts {
 public:
  /// `problem` must outlive it.
  explicit PlaceCosts(const PlacementProblem& problem)
      : problem_{problem},
        places_{problem.place_count()},
        unit_{unit_of(problem)},
        distances_(problem.node.size() * places_),
        costs_((problem.process_count() + std::size_t{1}) * places_),
        occupant_(places_),
        own_(places_),
        back_(places_),
        steps_(places_) {
    for (std::uint32_t a = 0; a < problem.node.size(); ++a) {
      for (std::uint32_t b = 0; b < places_; ++b) {
        distances_[a * places_ + b] = static_cast<Number>(problem.distance(a, b));
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

  /// How much of the cost is one.
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
      own_[place] = costs_[occupant_[place] * places_ + place];
    }
  }

  /// The first place from `first` on, and from 0 on after the last one, with which an exchange of
  /// the process adds less than the place's threshold, and which is on another node; nobody if
  /// there is none.
  std::uint32_t place_below(std::uint32_t process, std::uint32_t first, const Number* thresholds) {
    const std::uint32_t from = place_[process];
    const Number* const there = &costs_[process * places_];
    const Number* const apart = distances_from(from);
    for (std::size_t place = 0; place < places_; ++place) {
      back_[place] = costs_[occupant_[place] * places_ + from];
    }
    // Either side takes their own pair for gone.
    for (const Pair& partner : partners_of(process)) {
      if (const std::uint32_t place = place_[partner.process]; place < places_) {
        back_[place] = narrow(back_[place] + 2 * partner.weight * apart[place]);
      }
    }
    const Number here = there[from];
    Number is_any = 0;
    for (std::size_t place = 0; place < places_; ++place) {
      back_[place] = narrow(narrow(there[place] - here) + narrow(back_[place] - own_[place]));
      is_any |= narrow((back_[place] < thresholds[place] ? 1 : 0) & (apart[place] != 0 ? 1 : 0));
    }
    if (is_any == 0) {
      return nobody;
    }
    const auto is_below = [&](std::uint32_t place) {
      return back_[place] < thresholds[place] && apart[place] != 0;
    };
    std::uint32_t place = first;
    while (!is_below(place)) {
      place = place + 1 < places_ ? place + 1 : 0;
    }
    return place;
  }
  /// What the exchange with that place adds, of the process last asked for.
  Number increase(std::uint32_t place) const { return back_[place]; }

  /// Exchanges the process with what is on the place.
  void move(std::uint32_t process, std::uint32_t to) {
    const std::uint32_t from = place_[process];
    const std::uint32_t other = occupant_[to];
    const Number* const before = distances_from(from);
    const Number* const after = distances_from(to);
    for (std::size_t place = 0; place < places_; ++place) {
      steps_[place] = narrow(after[place] - before[place]);
    }
    occupant_[to] = process;
    occupant_[from] = other;
    place_[process] = to;
    const bool is_free = other == problem_.process_count();
    add(process, steps_.data(), 1);
    if (!is_free) {
      place_[other] = from;
      add(other, steps_.data(), -1);
    }
    refresh(process);
    if (!is_free) {
      refresh(other);
    }
    own_[from] = costs_[other * places_ + from];
    own_[to] = costs_[process * places_ + to];
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
  const Number* distances_from(std::uint32_t place) const { return &distances_[place * places_]; }
  std::span<const Pair> partners_of(std::uint32_t process) const {
    return std::span{partners_}.subspan(first_[process], first_[process + 1] - first_[process]);
  }

  /// Adds to what the partners of the process cost.
  void add(std::uint32_t process, const Number* distances, Number sign) {
    for (const Pair& partner : partners_of(process)) {
      const Number weight = narrow(sign * partner.weight);
      Number* const costs = &costs_[partner.process * places_];
      for (std::size_t place = 0; place < places_; ++place) {
        costs[place] = narrow(costs[place] + weight * distances[place]);
      }
    }
  }

  /// Sees what its partners cost where they are.
  void refresh(std::uint32_t process) {
    for (const Pair& partner : partners_of(process)) {
      if (const std::uint32_t place = place_[partner.process]; place < places_) {
        own_[place] = costs_[partner.process * places_ + place];
      }
    }
  }

  const PlacementProblem& problem_;
  std::size_t places_;  ///< for processes that may move
  std::uint64_t unit_;
  std::vector<std::size_t> first_;  ///< entry of partners_, of each process; one more at the end
  std::vector<Pair> partners_;
  std::vector<Number> distances_;        ///< of any place from one for processes that may move
  std::vector<Number> costs_;            ///< of a process on a place; the last row is of nobody
  std::vector<std::uint32_t> place_;     ///< of each process
  std::vector<std::uint32_t> occupant_;  ///< of each place; the number of processes when it is free
  std::vector<Number> own_;              ///< what the process on each place costs there
  std::vector<Number> back_;             ///< of the process last asked for, by place
  std::vector<Number> steps_;            ///< to each place, of one move
};

}  // namespace dcube
