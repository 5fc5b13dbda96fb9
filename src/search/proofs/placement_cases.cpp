#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/search/cases.hpp"
#include "dual_ascent.hpp"
#include "open_cases.hpp"
#include "placement_sum.hpp"
#include "symmetries.hpp"

// Rows are processes, and slots that stay idle; columns are slots. A case is split by a row over
// all columns or by a column over all rows. Symmetries of the machine that fix all nodes chosen so
// far, and exchanges of rows or columns that pair alike with all others, take the maps of a case to
// each other: of choices that they make alike the first is tried, and all of them are forbidden in
// the cases that follow, whose maps they would only repeat.

namespace dcube {
namespace {

using Cost = DualAscent::Cost;

constexpr std::size_t most_places = 24;
constexpr std::size_t most_waiting_bytes = std::size_t{1} << 29U;

struct Case {
  DualAscent ascent;
  std::vector<std::uint32_t> rows;        ///< of the ascent
  std::vector<std::uint32_t> columns;     ///< of the ascent
  std::vector<std::uint32_t> symmetries;  ///< that fix all nodes chosen so far
  std::vector<std::uint32_t> column_of;   ///< by row, of those placed
  std::uint64_t bound = 0;

  /// Whether the other one is split before.
  friend bool operator<(const Case& a, const Case& b) {
    return a.ascent.bound() > b.ascent.bound();
  }
};

class PlacementCases {
 public:
  PlacementCases(const SearchProblem& problem, const SlotDistances& distances,
                 const CasesSettings& settings)
      : problem_{problem},
        sum_{problem, distances},
        symmetries_{symmetries_of(problem.topology)},
        kind_of_node_(problem.topology.node_count()),
        open_{settings},
        reached_{settings.reached} {
    for (std::size_t column = 0; column < sum_.size(); ++column) {
      kind_of_node_[sum_.node_of[column].index()] = sum_.column_kinds[column];
    }
    // The greatest power of two that leaves the cost below the ascent's limit.
    constexpr int limit_bits = std::bit_width(std::uint32_t{DualAscent::most_limit} - 1);
    shift_ = limit_bits - std::max(1, static_cast<int>(std::bit_width(reached_ - 1)));
    limit_ = limit();
  }

  PlacementCasesResult run() {
    add_root();
    const std::uint64_t bound = open_.work_off([this](std::uint32_t, Case& one) {
      if (open_.waiting() >= most_waiting_) {
        finish(one);
      } else {
        split(one, [this](Case& part) { open_.push(std::move(part)); });
      }
    });
    return {.bound = bound, .cases = cases_, .cost = map_.empty() ? 0 : reached_, .map = map_};
  }

 private:
  /// A way that costs this is no better than the map that is known.
  Cost limit() const {
    const std::uint64_t next_better = (reached_ - 1) / sum_.unit * sum_.unit;
    return static_cast<Cost>(scaled(next_better) + 1);
  }
  /// A cost as the ascent counts it, rounded down.
  std::int64_t scaled(std::uint64_t cost) const {
    return static_cast<std::int64_t>(shift_ >= 0 ? cost << shift_ : cost >> -shift_);
  }

  std::uint64_t bound_of(const DualAscent& ascent) const {
    const auto whole = static_cast<std::uint64_t>(ascent.bound());
    const std::uint64_t cost =
        shift_ >= 0 ? (whole + (std::uint64_t{1} << shift_) - 1) >> shift_ : whole << -shift_;
    return (cost + sum_.unit - 1) / sum_.unit * sum_.unit;
  }

  void add_root() {
    const std::size_t size = sum_.size();
    const std::vector<Cost> weights = mapped(sum_.weights, [&](std::uint64_t weight) {
      const bool is_large = shift_ > 0 && weight > (std::uint64_t{1} << 40U);
      return static_cast<Cost>(std::min<std::int64_t>(
          is_large ? DualAscent::forbidden : scaled(weight), DualAscent::forbidden));
    });
    const std::vector<Cost> lengths = mapped(sum_.lengths, [](std::uint32_t length) {
      return static_cast<Cost>(
          std::min<std::uint32_t>(length, static_cast<std::uint32_t>(DualAscent::forbidden)));
    });
    Case root{.ascent = DualAscent{weights, lengths, size, limit_},
              .rows = numbered(size),
              .columns = numbered(size),
              .symmetries = numbered(symmetries_.size()),
              .column_of = std::vector<std::uint32_t>(size)};
    for (std::uint32_t process = 0; process < problem_.pins.size(); ++process) {
      if (!problem_.is_pinned(process)) {
        continue;
      }
      const auto row = std::ranges::find(root.rows, process) - root.rows.begin();
      const auto column = std::ranges::find_if(root.columns,
                                               [&](std::uint32_t at) {
                                                 return sum_.node_of[at] == *problem_.pins[process];
                                               }) -
                          root.columns.begin();
      root = part_of(root, static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    }
    constexpr std::uint32_t sweeps = 200;
    constexpr double patience = 1000;
    ++cases_;
    most_waiting_ = most_waiting_bytes / (root.ascent.bytes() + 1);
    if (!close(root, sweeps, patience)) {
      open_.push(std::move(root));
    }
  }

  /// Calls `visit` for the parts of a case that may hold a better map.
  template <class Visit>
  void split(Case& one, Visit visit) {
    if (std::ranges::all_of(one.rows, [&](std::uint32_t row) { return sum_.is_silent(row); })) {
      complete(one);
      return;
    }
    const std::size_t size = one.ascent.size();
    std::vector<std::uint32_t> kinds;
    std::vector<std::uint32_t> places;  // the lowest kind that symmetries take the column's to
    for (std::size_t i = 0; i < size; ++i) {
      kinds.push_back(sum_.row_kinds[one.rows[i]]);
      std::uint32_t least = sum_.column_kinds[one.columns[i]];
      for (const std::uint32_t symmetry : one.symmetries) {
        const NodeId image = symmetries_[symmetry][sum_.node_of[one.columns[i]].index()];
        least = std::min(least, kind_of_node_[image.index()]);
      }
      places.push_back(least);
    }
    const auto forbid_alike = [&](std::uint32_t kind, std::uint32_t place) {
      for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column < size; ++column) {
          if (kinds[row] == kind && places[column] == place) {
            one.ascent.forbid(row, column);
          }
        }
      }
    };
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = 0; column < size; ++column) {
        if (one.ascent.is_forbidden(row, column)) {
          forbid_alike(kinds[row], places[column]);
        }
      }
    }
    struct Choice {
      std::size_t row = 0;
      std::size_t column = 0;
      Cost leader = 0;
    };
    // Of rows and columns the one whose choices cost most beyond the bound; those that are
    // forbidden or alike cost the whole gap.
    const Cost gap = one.ascent.limit() - one.ascent.bound();
    std::vector<Choice> best;
    std::int64_t most = -1;
    const auto offer = [&](const auto& choice_at, const std::vector<std::uint32_t>& alike) {
      std::vector<Choice> choices;
      std::vector<std::uint32_t> seen;
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < size; ++i) {
        Choice choice = choice_at(i);
        choice.leader = one.ascent.leader(choice.row, choice.column);
        if (choice.leader >= DualAscent::forbidden ||
            std::ranges::find(seen, alike[i]) != seen.end()) {
          sum += gap;
          continue;
        }
        seen.push_back(alike[i]);
        sum += choice.leader;
        choices.push_back(choice);
      }
      if (sum > most) {
        most = sum;
        best = std::move(choices);
      }
    };
    for (std::size_t i = 0; i < size; ++i) {
      if (!sum_.is_silent(one.rows[i])) {
        offer([&](std::size_t column) { return Choice{i, column}; }, places);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      offer([&](std::size_t row) { return Choice{row, i}; }, kinds);
    }
    std::ranges::stable_sort(best, std::greater{}, &Choice::leader);
    for (const Choice& choice : best) {
      if (open_.has_to_stop()) {
        return;
      }
      constexpr std::uint32_t sweeps = 60;
      constexpr double patience = 12;
      Case part = part_of(one, choice.row, choice.column);
      ++cases_;
      if (!close(part, sweeps, patience)) {
        visit(part);
      }
      forbid_alike(kinds[choice.row], places[choice.column]);
    }
  }

  /// Goes through all parts of a case.
  void finish(Case& one) {
    split(one, [this](Case& part) { finish(part); });
  }

  /// Raises the bound of a case, for so many sweeps while the gap is at most `patience` times what
  /// one gains. Whether the case is closed.
  bool close(Case& one, std::uint32_t sweeps, double patience) {
    one.ascent.lower_limit(limit_);
    for (std::uint32_t sweep = 0; sweep < sweeps && !one.ascent.reaches_limit(); ++sweep) {
      const Cost before = one.ascent.bound();
      one.ascent.sweep();
      const double gap = one.ascent.limit() - one.ascent.bound();
      if (gap > patience * (one.ascent.bound() - before)) {
        break;
      }
    }
    one.bound = std::max(one.bound, bound_of(one.ascent));
    return one.ascent.reaches_limit();
  }

  Case part_of(const Case& one, std::size_t row, std::size_t column) const {
    Case part{.ascent = one.ascent.after(row, column),
              .rows = one.rows,
              .columns = one.columns,
              .symmetries = {},
              .column_of = one.column_of,
              .bound = one.bound};
    const std::uint32_t at = one.columns[column];
    part.column_of[one.rows[row]] = at;
    part.rows.erase(part.rows.begin() + static_cast<std::ptrdiff_t>(row));
    part.columns.erase(part.columns.begin() + static_cast<std::ptrdiff_t>(column));
    const NodeId node = sum_.node_of[at];
    part.symmetries = kept(one.symmetries, [&](std::uint32_t index) {
      return symmetries_[index][node.index()] == node;
    });
    return part;
  }

  /// Rows that are left are silent: any columns do.
  void complete(const Case& one) {
    std::vector<std::uint32_t> column_of = one.column_of;
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      column_of[one.rows[i]] = one.columns[i];
    }
    std::vector<NodeId> map =
        numbered(problem_.traffic.process_count(),
                 [&](std::uint32_t process) { return sum_.node_of[column_of[process]]; });
    const std::uint64_t cost = cost_of(problem_, map);
    const std::scoped_lock lock{mutex_};
    if (cost < reached_) {
      reached_ = cost;
      map_ = std::move(map);
      limit_ = limit();
      open_.reach(cost);
    }
  }

  const SearchProblem& problem_;
  PlacementSum sum_;
  int shift_ = 0;  ///< the ascent's costs are 2^shift times as large
  std::vector<Symmetry> symmetries_;
  std::vector<std::uint32_t> kind_of_node_;  ///< of its columns

  OpenCases<Case> open_;
  std::size_t most_waiting_ = 0;

  std::mutex mutex_;  ///< of the best map
  std::uint64_t reached_ = 0;
  std::vector<NodeId> map_;

  std::atomic<Cost> limit_ = 0;
  std::atomic<std::uint64_t> cases_ = 0;
};

}  // namespace

bool has_placement_cases(const SearchProblem& problem) {
  return distances_of_sum(problem, most_places).has_value();
}

std::optional<PlacementCasesResult> place_by_cases(const SearchProblem& problem,
                                                   const CasesSettings& settings) {
  const std::optional<SlotDistances> distances = distances_of_sum(problem, most_places);
  if (!distances) {
    return std::nullopt;
  }
  return PlacementCases{problem, *distances, settings}.run();
}

}  // namespace dcube
