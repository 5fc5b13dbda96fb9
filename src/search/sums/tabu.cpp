#include "tabu.hpp"

#include <algorithm>
#include <limits>

#include "core/wide_vectors.hpp"
#include "exchange_table.hpp"
#include "search/pairs.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

/// The movable processes come first, then free places as items of no weight, then the others.
std::vector<std::uint32_t> process_of_items(const PlacementProblem& problem) {
  std::vector<std::uint32_t> processes = problem.movable;
  processes.resize(problem.place_count(), nobody);
  for (std::uint32_t process = 0; process < problem.process_count(); ++process) {
    if (problem.pinned_place[process] != nobody) {
      processes.push_back(process);
    }
  }
  return processes;
}

template <class Number>
QuadraticProblem<Number> quadratic_of(const PlacementProblem& problem,
                                      std::span<const std::uint32_t> process_of) {
  QuadraticProblem<Number> quadratic;
  const std::size_t n = process_of.size();
  quadratic.size = n;
  quadratic.movable = problem.place_count();
  quadratic.weights.resize(n * n);
  quadratic.distances.resize(n * n);
  const std::uint64_t unit = common_divisor(problem.partners);
  std::vector<std::size_t> item_of(problem.process_count());
  for (std::size_t item = 0; item < n; ++item) {
    if (process_of[item] != nobody) {
      item_of[process_of[item]] = item;
    }
  }
  for (std::size_t item = 0; item < n; ++item) {
    if (process_of[item] == nobody) {
      continue;
    }
    for (const Partner& partner : problem.partners.of(process_of[item])) {
      quadratic.weights[item * n + item_of[partner.process.index()]] =
          static_cast<Number>(partner.weight / unit);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      quadratic.distances[a * n + b] = static_cast<Number>(
          problem.distance(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)));
    }
  }
  return quadratic;
}

template <class Number>
class TabuSearchWith final : public TabuSearch {
 public:
  explicit TabuSearchWith(const PlacementProblem& problem)
      : problem_{problem},
        process_of_{process_of_items(problem)},
        quadratic_{quadratic_of<Number>(problem, process_of_)},
        table_{quadratic_},
        free_from_(quadratic_.size * quadratic_.size) {}

  std::vector<std::uint32_t> run(std::span<const std::uint32_t> places, const TabuLimits& limits,
                                 SplitMix64& random,
                                 const std::function<bool(std::uint64_t)>& stops) override {
    constexpr std::uint64_t between_polls = 64;
    const std::uint64_t most_steps = std::max<std::uint64_t>(1, limits.moves / moves_of_a_step());
    table_.assign(items_of(places));
    std::ranges::fill(free_from_, 0);
    best_.assign(table_.places().begin(), table_.places().end());
    least_ = 0;
    std::uint64_t idle = 0;
    std::uint64_t told = 0;
    for (now_ = 0; now_ < most_steps && idle < limits.patience;) {
      step(random);
      ++now_;
      ++idle;
      if (table_.gained() < least_) {
        least_ = table_.gained();
        best_.assign(table_.places().begin(), table_.places().end());
        idle = 0;
      }
      if (now_ - told == between_polls) {
        told = now_;
        if (stops(between_polls * moves_of_a_step())) {
          break;
        }
      }
    }
    stops((now_ - told) * moves_of_a_step());
    return placed(best_);
  }

  std::uint64_t moves_of_a_step() const override {
    return std::max<std::uint64_t>(1, quadratic_.movable * quadratic_.movable / 128);
  }

 private:
  struct Exchange {
    std::size_t first = 0;
    std::size_t second = 0;
  };

  void step(SplitMix64& random) {
    const Exchange exchange = with_wide_vectors([&] { return best_exchange(random); });
    if (exchange.first != exchange.second) {
      forbid(exchange.first, random);
      forbid(exchange.second, random);
      with_wide_vectors([&] { table_.exchange(exchange.first, exchange.second); });
    }
  }

  std::vector<std::uint32_t> items_of(std::span<const std::uint32_t> places) const {
    std::vector<std::uint32_t> of_items(quadratic_.size, nobody);
    std::vector<bool> is_taken(quadratic_.size);
    for (std::size_t item = 0; item < quadratic_.size; ++item) {
      if (process_of_[item] != nobody) {
        of_items[item] = places[process_of_[item]];
        is_taken[of_items[item]] = true;
      }
    }
    std::uint32_t next = 0;
    for (std::uint32_t& place : of_items) {
      if (place == nobody) {
        while (is_taken[next]) {
          ++next;
        }
        place = next++;
      }
    }
    return of_items;
  }

  std::vector<std::uint32_t> placed(std::span<const std::uint32_t> of_items) const {
    std::vector<std::uint32_t> places(problem_.process_count());
    for (std::size_t item = 0; item < quadratic_.size; ++item) {
      if (process_of_[item] != nobody) {
        places[process_of_[item]] = of_items[item];
      }
    }
    return places;
  }

  /// The first of the best in an order that begins with what looks best and goes on anywhere; two
  /// equal items where all are forbidden.
  Exchange best_exchange(SplitMix64& random) const {
    Exchange best;
    Number least = std::numeric_limits<Number>::max();
    const std::size_t n = quadratic_.movable;
    const auto search_row = [&](std::size_t a) {
      if (table_.least(a) >= least) {
        return;
      }
      const Number* const deltas = table_.deltas_of(a);
      for (std::size_t b = a + 1; b < n; ++b) {
        if (deltas[b] < least && is_allowed(a, b, deltas[b])) {
          least = deltas[b];
          best = {a, b};
        }
      }
    };
    const std::size_t begin = draw_below(random, n);
    std::size_t first = begin;
    for (std::size_t i = 0; i < n; ++i) {
      first = table_.least(i) < table_.least(first) ? i : first;
    }
    search_row(first);
    for (std::size_t i = 0; i < n; ++i) {
      search_row(begin + i < n ? begin + i : begin + i - n);
    }
    return best;
  }

  bool is_allowed(std::size_t a, std::size_t b, Number delta) const {
    const std::size_t n = quadratic_.size;
    const auto places = table_.places();
    const bool is_forbidden =
        free_from_[a * n + places[b]] > now_ && free_from_[b * n + places[a]] > now_;
    // Two free places, or two places of a node, are one map.
    const bool is_change =
        (process_of_[a] != nobody || process_of_[b] != nobody) && table_.is_apart(a, b);
    return is_change && (!is_forbidden || table_.gained() + delta < least_);
  }

  /// The item does not come back to where it is for 0.9 to 1.1 times as many steps as there are
  /// items.
  void forbid(std::size_t item, SplitMix64& random) {
    const auto n = static_cast<std::uint32_t>(quadratic_.movable);
    free_from_[item * quadratic_.size + table_.places()[item]] =
        now_ + n - n / 10 + draw_below(random, n / 5 + 1);
  }

  const PlacementProblem& problem_;
  std::vector<std::uint32_t> process_of_;  ///< of each item
  QuadraticProblem<Number> quadratic_;
  ExchangeTable<Number> table_;
  std::vector<std::uint64_t> free_from_;  ///< the step from which an item may be on a place again
  std::vector<std::uint32_t> best_;
  std::int64_t least_ = 0;  ///< least sum of what exchanges have added
  std::uint64_t now_ = 0;   ///< steps made
};

}  // namespace

std::unique_ptr<TabuSearch> make_tabu_search(const PlacementProblem& problem) {
  std::unique_ptr<TabuSearch> search;
  if (problem.node.size() <= most_tabu_places && problem.place_count() >= 2) {
    with_number_for(problem, [&](auto number) {
      search = std::make_unique<TabuSearchWith<decltype(number)>>(problem);
    });
  }
  return search;
}

}  // namespace dcube
