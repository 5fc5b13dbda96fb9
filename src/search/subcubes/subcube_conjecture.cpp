#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/search/subcubes.hpp"
#include "matrix_game.hpp"
#include "subcube_addresses.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t most_cube_dimensions = 6;
constexpr std::uint32_t most_slot_dimensions = 3;

/// The symmetries of the cube: permutations of the positions, then flips of bits.
class Symmetries {
 public:
  explicit Symmetries(std::uint32_t cube_dimensions) : cube_dimensions_{cube_dimensions} {
    std::vector<std::uint32_t> order = numbered(cube_dimensions);
    do {
      std::vector<std::uint32_t> table(std::size_t{1} << cube_dimensions);
      for (std::uint32_t mask = 0; mask < table.size(); ++mask) {
        for (std::uint32_t position = 0; position < cube_dimensions; ++position) {
          table[mask] |= (mask >> position & 1U) << order[position];
        }
      }
      permuted_.push_back(std::move(table));
    } while (std::next_permutation(order.begin(), order.end()));
  }

  /// The least of all sets of subcubes into which a symmetry turns this one.
  SubcubeMapping least(const SubcubeMapping& set) const {
    using Codes = std::vector<std::uint32_t>;
    Codes best;
    Codes codes(set.size());
    for (const Codes& permuted : permuted_) {
      for (std::uint32_t flip = 0; flip < permuted.size(); ++flip) {
        for (std::size_t i = 0; i < set.size(); ++i) {
          const std::uint32_t stars = permuted[set[i].stars()];
          const std::uint32_t bits = (permuted[set[i].bits()] ^ flip) & ~stars;
          codes[i] = stars << cube_dimensions_ | bits;
        }
        std::ranges::sort(codes);
        if (best.empty() || codes < best) {
          best = codes;
        }
      }
    }
    return mapped(best, [this](std::uint32_t code) {
      return Subcube{cube_dimensions_, code >> cube_dimensions_,
                     code & ((std::uint32_t{1} << cube_dimensions_) - 1)};
    });
  }

 private:
  std::uint32_t cube_dimensions_;
  std::vector<std::vector<std::uint32_t>> permuted_;
};

/// Every set of disjoint subcubes that no other subcube extends, up to symmetry.
std::vector<SubcubeMapping> maximal_packings(std::uint32_t cube_dimensions,
                                             std::uint32_t dimensions) {
  const std::vector<Subcube> all = all_subcubes(cube_dimensions, dimensions);
  const Symmetries symmetries{cube_dimensions};
  std::vector<SubcubeMapping> maximal;
  std::set<SubcubeMapping> sets{{}};
  while (!sets.empty()) {
    std::set<SubcubeMapping> larger;
    for (const SubcubeMapping& set : sets) {
      bool is_maximal = true;
      for (const Subcube& subcube : all) {
        const bool fits = std::ranges::all_of(
            set, [&](const Subcube& other) { return hamming_distance(subcube, other) > 0; });
        if (fits) {
          is_maximal = false;
          if (is_first_of_its_kind(set, subcube)) {
            SubcubeMapping grown = set;
            grown.push_back(subcube);
            larger.insert(symmetries.least(grown));
          }
        }
      }
      if (is_maximal) {
        maximal.push_back(set);
      }
    }
    sets = std::move(larger);
  }
  return maximal;
}

/// 2 M for every pair of tasks.
std::vector<int> distances(const SubcubeMapping& mapping) {
  std::vector<int> distances;
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      distances.push_back(static_cast<int>(twice_mean_distance(mapping[i], mapping[j])));
    }
  }
  return distances;
}

/// 2 M for every pair of tasks under all parallel mappings, up to the symmetries of the cube of
/// slots.
std::vector<std::vector<int>> parallel_distances(std::uint32_t slot_dimensions, std::size_t tasks) {
  const std::vector<Subcube> slots = all_subcubes(slot_dimensions, 0);
  std::vector<std::vector<int>> all;
  SubcubeMapping placed;
  const auto place = [&](const auto& place_next) -> void {
    if (placed.size() == tasks) {
      all.push_back(distances(placed));
      return;
    }
    for (const Subcube& slot : slots) {
      const bool is_free = std::ranges::find(placed, slot) == placed.end();
      if (is_free && is_first_of_its_kind(placed, slot)) {
        placed.push_back(slot);
        place_next(place_next);
        placed.pop_back();
      }
    }
  };
  place(place);
  return all;
}

/// How much longer each of the parallel mappings is; nothing where one of them is nowhere longer.
std::optional<MatrixGame> game_against(const SubcubeMapping& packing,
                                       const std::vector<std::vector<int>>& parallel) {
  const std::vector<int> own = distances(packing);
  MatrixGame game{own.size(), parallel};
  for (std::vector<int>& column : game.columns) {
    std::transform(column.begin(), column.end(), own.begin(), column.begin(), std::minus{});
    if (std::ranges::all_of(column, [](int longer) { return longer <= 0; })) {
      return std::nullopt;
    }
  }
  return game;
}

}  // namespace

ConjectureCheck check_conjecture(std::uint32_t subcube_dimensions, std::uint32_t cube_dimensions,
                                 const SubcubeSearchProgress& progress) {
  refuse_if(subcube_dimensions >= cube_dimensions || cube_dimensions > most_cube_dimensions ||
                cube_dimensions - subcube_dimensions > most_slot_dimensions,
            "",
            "all mappings of {}-cubes in a {}-cube cannot be looked through (at most {} "
            "dimensions, and 1 to {} more than a subcube)",
            subcube_dimensions, cube_dimensions, most_cube_dimensions, most_slot_dimensions);
  ConjectureCheck check{subcube_dimensions, cube_dimensions, 0, 0, 0, std::nullopt};
  const std::vector<SubcubeMapping> packings =
      maximal_packings(cube_dimensions, subcube_dimensions);
  std::map<std::size_t, std::vector<std::vector<int>>> parallel;  // by the number of tasks
  std::size_t looked_at = 0;
  for (const SubcubeMapping& packing : packings) {
    ++looked_at;
    if (is_parallel(packing)) {
      continue;
    }
    ++check.packings;
    std::vector<std::vector<int>>& known = parallel[packing.size()];
    if (known.empty()) {
      known = parallel_distances(cube_dimensions - subcube_dimensions, packing.size());
    }
    const std::optional<MatrixGame> game = game_against(packing, known);
    if (!game) {
      ++check.by_one;
    } else if (fair_shares(*game)) {
      ++check.by_mixture;
    } else {
      check.undecided = check.undecided.value_or(packing);
    }
    const double done = static_cast<double>(looked_at) / static_cast<double>(packings.size());
    if (progress && !progress({done, 0})) {
      check.undecided = check.undecided.value_or(packing);
      break;
    }
  }
  return check;
}

}  // namespace dcube
