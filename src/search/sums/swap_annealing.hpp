#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/wide_vectors.hpp"
#include "dcube/core/random.hpp"
#include "maps.hpp"
#include "place_costs.hpp"
#include "placement.hpp"
#include "search/walks/draws.hpp"
#include "search/walks/temperature.hpp"

namespace dcube {

/// Cooling schedule of a walk of simulated annealing.
struct Cooling {
  double hot = 0;         ///< temperature at first, as a share of a typical increase
  bool is_local = false;  ///< processes move near where they are, and increases are those of the
                          ///< first map; otherwise they move anywhere, and maps are random
  double factor = 1;
  std::uint32_t levels = 1;
};

/// From a temperature at which structure dissolves to one at which hardly anything moves.
inline constexpr Cooling cool_slowly{.hot = 0.15, .factor = 0.99198, .levels = 200};
/// cool_slowly from twice as hot, for large machines.
inline constexpr Cooling cool_from_hot{.hot = 0.3, .factor = 0.98855, .levels = 200};
/// Keeps what is good in a map and mends the rest.
inline constexpr Cooling cool_gently{.hot = 0.08, .is_local = true, .factor = 0.98, .levels = 50};
/// Gives up some of what is good in a map to gain more.
inline constexpr Cooling cool_warmly{.hot = 0.25, .is_local = true, .factor = 0.96, .levels = 100};

/// Simulated annealing of sums of weight times distance, by exchanges alone: a process takes the
/// place of another, or a free one. Most of these places are beside a partner; the rest are drawn.
/// Where a table of costs fits in a cache and few moves are made, a process is tried with all
/// places in one go, and takes the first that is accepted. A place's draw is then one of a list
/// that is shuffled once for each temperature. On a large machine processes are taken as their
/// places follow one another: what a move looks at is then still in the cache. It helps if the
/// numbers of processes follow their places, too.
class SwapAnnealing {
 public:
  /// Moves between two questions whether to stop.
  static constexpr std::uint64_t between_polls = 4096;

  /// `problem` must outlive it.
  explicit SwapAnnealing(const PlacementProblem& problem)
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
      if (std::max<std::size_t>(problem.process_count(), problem.node.size()) <=
          most_tabled_places) {
        with_number_for(
            problem, [&](auto number) { costs_.emplace<PlaceCosts<decltype(number)>>(problem); });
      }
    }
  }

  /// Anneals from `places` and returns the best map seen at the end of a level. Asks `stops()`
  /// after every `between_polls` moves.
  template <class Stops>
  std::vector<std::uint32_t> run(std::vector<std::uint32_t> places, const Cooling& cooling,
                                 std::uint64_t moves, SplitMix64& random, Stops stops) {
    assign(std::move(places));
    is_local_ = cooling.is_local;
    std::vector<std::uint32_t> best = place_;
    std::int64_t least = 0;
    temperature_.set(cooling.hot *
                     (cooling.is_local ? typical_increase(random) : increase_of_random_maps_));
    bool has_costs = false;
    bool goes_on = true;
    for (std::uint32_t level = 0; level < cooling.levels && goes_on; ++level) {
      const std::uint64_t begin = tried_;
      made_ = 0;
      const std::uint64_t end = moves * (level + 1) / cooling.levels;
      if (has_costs) {
        with_costs([&](auto& costs) { goes_on = walk(end, costs, random, stops); });
      } else {
        goes_on = walk(end, random, stops);
      }
      if (!has_costs && is_worth_costs(made_, tried_ - begin)) {
        has_costs = true;
        with_costs([&](auto& costs) { costs.assign(place_); });
      }
      if (cost_ < least) {
        least = cost_;
        best = place_;
      }
      temperature_.cool(cooling.factor);
    }
    return best;
  }

 private:
  struct Move {
    std::uint32_t process;
    std::uint32_t place;
  };

  /// Limit of places up to which the data of any move is in the cache.
  static constexpr std::uint32_t most_places_drawn = 4096;

  /// A row of so many places takes about as long as a move that is drawn.
  static constexpr std::uint64_t places_of_a_move = 16;

  Move draw(SplitMix64& random) {
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

  std::uint32_t draw_process(std::uint64_t word) {
    if (!is_large_) {
      return problem_.movable[static_cast<std::size_t>(bounded(word, problem_.movable.size()))];
    }
    do {
      next_place_ = next_place_ + 1 < occupant_.size() ? next_place_ + 1 : 0;
    } while (occupant_[next_place_] == nobody);
    return occupant_[next_place_];
  }

  /// A place a few steps away.
  std::uint32_t wandered(std::uint32_t place, SplitMix64& random) const {
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

  /// Mean cost added by moves that make the present map worse.
  double typical_increase(SplitMix64& random) {
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

  /// Cost added by the move, from the partners of its processes.
  std::int64_t increase(const Move& move) const {
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
    const auto add = [&](std::uint32_t process, NodeId before, NodeId after,
                         std::uint32_t skipped) {
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

  void make(const Move& move) {
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

  void assign(std::vector<std::uint32_t> places) {
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

  /// Makes moves until there were `end` in all. Returns false when `stops()` says so.
  template <class Stops>
  bool walk(std::uint64_t end, SplitMix64& random, Stops& stops) {
    const double limit = temperature_.limit();
    while (tried_ < end) {
      const Move move = draw(random);
      const std::int64_t more = increase(move);
      if (static_cast<double>(more) < limit &&
          temperature_.accepts(static_cast<double>(more), random)) {
        made_ += node_[move.process] != problem_.node[move.place] ? 1 : 0;
        make(move);
        cost_ += more;
      }
      if (tried_++ % between_polls == between_polls - 1 && stops()) {
        return false;
      }
    }
    return true;
  }

  /// walk() with a table of costs: a process is tried with all places in one go.
  template <class Stops, class Number>
  bool walk(std::uint64_t end, PlaceCosts<Number>& costs, SplitMix64& random, Stops& stops) {
    const std::uint64_t places = problem_.place_count();
    const std::uint64_t moves_of_a_row = 1 + places / places_of_a_move;
    const std::size_t width = padded_places(places);
    const auto thresholds =
        temperature_.thresholds<Number>(width, static_cast<double>(costs.unit()));
    while (tried_ < end) {
      const std::uint32_t process = problem_.movable[draw_below(random, problem_.movable.size())];
      const std::uint32_t first = draw_below(random, places);
      const Number* const drawn = &thresholds[draw_below(random, thresholds.size() - width)];
      const std::uint32_t place =
          with_wide_vectors([&] { return costs.place_below(process, first, drawn); });
      if (place != nobody) {
        cost_ += static_cast<std::int64_t>(costs.unit()) * costs.increase();
        with_wide_vectors([&] { costs.move(process, place); });
        make({process, place});
      }
      const std::uint64_t before = tried_;
      tried_ += moves_of_a_row;
      if (before / between_polls != tried_ / between_polls && stops()) {
        return false;
      }
    }
    return true;
  }

  /// Calls `use(costs)` with the table, which is there.
  template <class Use>
  void with_costs(Use use) {
    std::visit(
        [&]<class Costs>(Costs& costs) {
          if constexpr (!std::is_same_v<Costs, std::monostate>) {
            use(costs);
          }
        },
        costs_);
  }

  /// Whether a table of costs pays where so many of the moves are made.
  bool is_worth_costs(std::uint64_t made, std::uint64_t tried) const {
    constexpr std::uint64_t most_nodes = 24;  // of a table, changed for a move that is tried
    return costs_.index() > 0 && made * problem_.near.size() < most_nodes * tried;
  }

  const PlacementProblem& problem_;
  bool is_large_;
  bool is_local_ = false;
  Temperature temperature_;
  double increase_of_random_maps_ = 0;
  /// Places beside each node, and on it where it has several, and where those of a node begin.
  std::vector<std::uint32_t> near_places_;
  std::vector<std::uint32_t> first_near_;
  std::vector<std::uint32_t> place_;     ///< of each process
  std::vector<NodeId> node_;             ///< of each process
  std::vector<std::uint32_t> occupant_;  ///< of each place
  std::uint32_t next_place_ = 0;         ///< whose process moves next, on a large machine
  std::uint64_t tried_ = 0;              ///< moves of a walk
  std::uint64_t made_ = 0;               ///< moves of a level
  std::int64_t cost_ = 0;                ///< above that of the first map of a walk
  /// Table of costs, in the smallest numbers that hold them; nothing where it would not fit in a
  /// cache.
  std::variant<std::monostate, PlaceCosts<std::int16_t>, PlaceCosts<std::int32_t>,
               PlaceCosts<std::int64_t>>
      costs_;
};

}  // namespace dcube
