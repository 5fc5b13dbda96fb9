#include "densest_sets.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "search/pairs.hpp"
#include "search/starts/traffic_grid.hpp"

namespace dcube {
namespace {

class HeaviestPartners {
 public:
  /// Of each process up to `most` partners.
  HeaviestPartners(const Partners& partners, std::uint32_t most) {
    for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
      std::vector<std::uint64_t> weights = mapped(partners.of(process), &Partner::weight);
      std::ranges::sort(weights, std::greater{});
      weights.resize(std::min<std::size_t>(weights.size(), most));
      std::partial_sum(weights.begin(), weights.end(), weights.begin());
      if (!weights.empty()) {
        sums_.push_back(std::move(weights));
      }
    }
  }

  /// Weight of all pairs among `size` processes, at most: each with its heaviest partners, half.
  std::uint64_t among(std::uint32_t size) const {
    std::vector<std::uint64_t> sums = mapped(sums_, [&](const std::vector<std::uint64_t>& of_one) {
      return of_one[std::min<std::size_t>(of_one.size(), size - 1) - 1];
    });
    const auto last =
        sums.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(sums.size(), size));
    std::nth_element(sums.begin(), last, sums.end(), std::greater{});
    return std::accumulate(sums.begin(), last, std::uint64_t{0}) / 2;
  }

 private:
  std::vector<std::vector<std::uint64_t>> sums_;  ///< [process][k]: k + 1 partners together
};

/// Pairs along the sides of a grid, and all others.
class GridSets {
 public:
  GridSets(const TrafficGrid& grid, const Partners& partners, std::uint32_t most)
      : sides_(grid.guest.dimension_count()), others_{others_of(grid, partners), most} {
    for (std::size_t d = 0; d < sides_.size(); ++d) {
      sides_[d].length = grid.guest.shape()[d];
      sides_[d].is_cycle = grid.guest.kind() == Guest::Kind::torus && sides_[d].length > 2;
    }
    std::ranges::stable_sort(sides_, std::greater{}, &Side::weight);
  }

  /// Weight of all pairs among `size` processes, at most. A line of a grid that holds m of them has
  /// m - 1 pairs, or m on a whole cycle, and the numbers of lines along each of c sides that hold
  /// some have a product of at least size^(c-1) (Loomis & Whitney 1949).
  std::uint64_t among(std::uint64_t size) const {
    UInt128 weight = others_.among(static_cast<std::uint32_t>(size));
    for (std::size_t d = lines_of; d < sides_.size(); ++d) {
      weight += along(d, size, {});
    }
    UInt128 product = 1;
    for (std::size_t d = 1; d < std::min(sides_.size(), lines_of); ++d) {
      product *= size;
    }
    weight += best(0, size, {}, product);
    constexpr std::uint64_t unbounded = ~std::uint64_t{0};
    return weight < unbounded ? static_cast<std::uint64_t>(weight) : unbounded;
  }

 private:
  static constexpr std::size_t lines_of = 3;  ///< sides whose lines are counted
  using Lines = std::array<std::uint64_t, lines_of>;

  struct Side {
    std::uint64_t length = 1;
    bool is_cycle = false;
    std::uint64_t weight = 0;  ///< of its heaviest pair
  };

  /// Along one side. Each whole cycle is on as many lines of every other side as it has processes.
  UInt128 along(std::size_t d, std::uint64_t size, const Lines& lines) const {
    const Side& side = sides_[d];
    const bool is_counted = d < lines_of;
    const std::uint64_t filled = is_counted ? lines[d] : divided_up(size, side.length);
    std::uint64_t whole = side.is_cycle ? std::min(filled, size / side.length) : 0;
    for (std::size_t other = 0; is_counted && other < std::min(sides_.size(), lines_of); ++other) {
      if (other != d) {
        whole = std::min(whole, sides_[other].length * (lines[other] / side.length));
      }
    }
    return UInt128{side.weight} * (size - filled + whole);
  }

  /// With the lines of the sides before `d`, and a product of the others of at least this.
  UInt128 best(std::size_t d, std::uint64_t size, Lines lines, UInt128 product) const {
    const std::size_t end = std::min(sides_.size(), lines_of);
    UInt128 most = 0;
    if (d == end) {
      for (std::size_t side = 0; side < end; ++side) {
        most += along(side, size, lines);
      }
      return most;
    }
    const std::uint64_t fewest = divided_up(size, sides_[d].length);
    if (d + 1 == end) {
      const UInt128 enough = std::min<UInt128>(product, size);
      lines[d] = std::max(fewest, static_cast<std::uint64_t>(enough));
      return best(end, size, lines, 1);
    }
    for (lines[d] = fewest; lines[d] <= size; ++lines[d]) {
      most = std::max(most, best(d + 1, size, lines, (product + lines[d] - 1) / lines[d]));
    }
    return most;
  }

  /// Gives the sides the weights of their pairs.
  Partners others_of(const TrafficGrid& grid, const Partners& partners) {
    return partners.filtered([&](std::uint32_t process, const Partner& partner) {
      const ProcessId a{grid.numbers[process]};
      const ProcessId b{grid.numbers[partner.process.index()]};
      for (std::uint32_t d = 0; d < sides_.size(); ++d) {
        if (grid.guest.partner(a, d) == b || grid.guest.partner(b, d) == a) {
          sides_[d].weight = std::max(sides_[d].weight, partner.weight);
          return false;
        }
      }
      return true;
    });
  }

  std::vector<Side> sides_;  ///< heaviest first
  HeaviestPartners others_;
};

/// The sets of processes that pairs join.
class JoinedSets {
 public:
  explicit JoinedSets(const Partners& partners)
      : partners_{partners},
        gain_(partners.process_count()),
        is_in_(partners.process_count()),
        rank_(partners.process_count()) {
    const std::vector<std::uint64_t> all = pair_weights(partners);
    seeds_ = numbered(partners.process_count());
    std::ranges::stable_sort(seeds_, std::greater{}, [&](std::uint32_t seed) { return all[seed]; });
    for (std::uint32_t i = 0; i < seeds_.size(); ++i) {
      rank_[seeds_[i]] = i;
    }
  }

  /// The greatest weight among as many processes as `most` has no entry for yet: `least` where none
  /// has more, `enough`, which none passes, where going through all takes long.
  std::uint64_t greatest(const std::vector<std::uint64_t>& most, std::uint64_t least,
                         std::uint64_t enough) {
    most_ = &most;
    best_ = least;
    enough_ = enough;
    for (std::size_t i = 0; i < seeds_.size() && best_ < enough_ && work_ > 0; ++i) {
      rank_of_seed_ = static_cast<std::uint32_t>(i);
      std::vector<std::uint32_t> candidates;
      join(seeds_[i], candidates);
      look_at(std::move(candidates), 0, most.size() - 1);
      leave(seeds_[i]);
    }
    return work_ > 0 ? std::min(best_, enough) : enough;
  }

 private:
  /// Sets of those that are in and `left` of the candidates or processes beyond them, each once
  /// (Wernicke 2006), but those that cannot be the best.
  void look_at(std::vector<std::uint32_t> candidates, std::uint64_t weight, std::size_t left) {
    std::ranges::sort(candidates, std::greater{}, [&](std::uint32_t one) {
      return std::pair{gain_[one], rank_[one]};
    });
    work_ -= static_cast<std::int64_t>(candidates.size() + left);
    for (std::size_t i = 0; i < candidates.size() && work_ > 0 && best_ < enough_; ++i) {
      std::uint64_t reachable = weight + (*most_)[left];
      for (std::size_t j = i; j < std::min(candidates.size(), i + left); ++j) {
        reachable += gain_[candidates[j]];
      }
      if (reachable <= best_) {
        return;
      }
      if (left == 1) {
        best_ = reachable;
        return;
      }
      const std::uint32_t one = candidates[i];
      const std::uint64_t with = weight + gain_[one];
      std::vector<std::uint32_t> next{candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      candidates.end()};
      join(one, next);
      look_at(std::move(next), with, left - 1);
      leave(one);
    }
  }

  void join(std::uint32_t process, std::vector<std::uint32_t>& candidates) {
    is_in_[process] = true;
    for (const Partner& partner : partners_.of(process)) {
      const std::uint32_t other = partner.process.index();
      if (partner.weight > 0 && gain_[other] == 0 && !is_in_[other] &&
          rank_[other] > rank_of_seed_) {
        candidates.push_back(other);
      }
      gain_[other] += partner.weight;
    }
  }
  void leave(std::uint32_t process) {
    is_in_[process] = false;
    for (const Partner& partner : partners_.of(process)) {
      gain_[partner.process.index()] -= partner.weight;
    }
  }

  const Partners& partners_;
  const std::vector<std::uint64_t>* most_ = nullptr;
  std::vector<std::uint64_t> gain_;  ///< weight of a process's pairs with those that are in
  std::vector<bool> is_in_;
  std::vector<std::uint32_t> seeds_;  ///< heaviest first
  std::vector<std::uint32_t> rank_;   ///< among those
  std::uint32_t rank_of_seed_ = 0;
  std::uint64_t best_ = 0;
  std::uint64_t enough_ = 0;
  std::int64_t work_ = 5'000'000;  ///< left
};

std::optional<GridSets> grid_sets(const Traffic& traffic, const Partners& partners,
                                  std::uint32_t most) {
  constexpr std::uint32_t known_without = 8;  // all sets are gone through
  constexpr std::uint32_t many = 128;
  if (most <= known_without || most > many) {
    return std::nullopt;
  }
  const std::optional<TrafficGrid> grid = traffic_grid(traffic);
  if (!grid || grid->guest.process_count() != traffic.process_count()) {
    return std::nullopt;
  }
  return GridSets{*grid, partners, most};
}

}  // namespace

DensestSets::DensestSets(const Traffic& traffic, const Partners& partners, std::uint32_t most)
    : total_weight_{partners.total_weight()}, most_(2) {
  const HeaviestPartners heaviest{partners, most};
  const std::optional<GridSets> grid = grid_sets(traffic, partners, most);
  const std::uint64_t unit = common_divisor(partners);
  JoinedSets joined{partners};
  for (std::uint32_t size = 2; size <= most; ++size) {
    std::uint64_t enough = heaviest.among(size);
    if (size > 2) {
      // Every pair of a set is in all but two of the sets of one less.
      const UInt128 mean = UInt128{most_.back()} * size / (size - 2);
      enough = mean < enough ? static_cast<std::uint64_t>(mean) : enough;
    }
    if (grid) {
      enough = std::min(enough, grid->among(size));
    }
    std::uint64_t least = 0;  // of two sets that no pair joins
    for (std::uint32_t part = 1; part <= size / 2; ++part) {
      least = std::max(least, most_[part] + most_[size - part]);
    }
    most_.push_back(joined.greatest(most_, least, enough - enough % unit));
  }
}

std::uint64_t DensestSets::in_groups(std::uint32_t processes, std::uint32_t size) const {
  std::vector<std::uint64_t> inside(processes + 1);
  for (std::uint32_t count = 1; count <= processes; ++count) {
    for (std::uint32_t last = 1; last <= std::min(size, count); ++last) {
      inside[count] = std::max(inside[count], inside[count - last] + most_[last]);
    }
    inside[count] = std::min(inside[count], total_weight_);  // sums would pass 64 bits
  }
  return inside.back();
}

}  // namespace dcube
