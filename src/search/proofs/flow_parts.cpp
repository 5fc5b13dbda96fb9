#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "class_placements.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/search/cases.hpp"
#include "placement_sum.hpp"
#include "symmetries.hpp"

namespace dcube {
namespace {

using Weights = std::vector<std::uint64_t>;  ///< of pairs of processes

/// Parts of so many processes are not split.
constexpr std::size_t few_processes = 8;
/// Of a part: half a gigabyte, and as much again for copies of them.
constexpr std::uint64_t most_cases_of_all = std::uint64_t{1} << 24U;

Places places_of(const SearchProblem& problem, const PlacementSum& sum) {
  constexpr std::size_t most_images = std::size_t{1} << 22U;
  std::vector<PlaceGroup::Place> images;
  for (const Symmetry& symmetry : some_symmetries_of(problem.topology, most_images)) {
    // Where not all nodes may host, the identity is the only one.
    for (std::size_t place = 0; place < sum.size(); ++place) {
      const bool is_whole = sum.size() == symmetry.size();
      images.push_back(static_cast<PlaceGroup::Place>(is_whole ? symmetry[place].index() : place));
    }
  }
  Places places{.lengths = sum.lengths,
                .size = sum.size(),
                .symmetries = PlaceGroup{std::move(images), sum.size()}};
  places.least_length = sum.size() > 1 ? std::numeric_limits<std::uint32_t>::max() : 0;
  for (std::size_t a = 0; a < places.size; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      places.least_length = std::min(places.least_length, places.length(a, b));
    }
  }
  return places;
}

class FlowParts {
 public:
  FlowParts(const SearchProblem& problem, const PlacementSum& sum, const CasesSettings& settings)
      : settings_{settings}, places_{places_of(problem, sum)}, sum_{sum} {}

  FlowPartsBound run() {
    FlowPartsBound result{.cost = settings_.bound};
    do {
      has_given_up_ = false;
      is_split_ = true;
      for (std::size_t most_classes = 1; is_split_ && !has_given_up_; ++most_classes) {
        is_split_ = false;
        const std::uint64_t least = least_of_parts(most_classes);
        const std::uint64_t bound =
            std::min((least + sum_.unit - 1) / sum_.unit * sum_.unit, settings_.reached);
        if (bound > result.cost) {
          result.cost = bound;
          if (settings_.on_bound) {
            settings_.on_bound(bound);
          }
        }
        if (result.cost >= settings_.reached || has_to_stop() ||
            (most_classes == 1 && is_far_below(least))) {
          return {result.cost, cases_};
        }
      }
      most_cases_ *= 8;
    } while (has_given_up_ && most_cases_ <= most_cases_of_all);
    return {result.cost, cases_};
  }

 private:
  bool has_to_stop() const { return settings_.should_stop && settings_.should_stop(); }

  /// Whether more classes will not reach the bound that is known, after parts of one class have
  /// come to so much. They added up to a tenth on 32 nodes or more; parts that were given up added
  /// up to a fifth in later rounds.
  bool is_far_below(std::uint64_t least) const {
    const std::uint64_t more = least / (has_given_up_ ? 2 : 8);
    return least + more < settings_.bound;
  }

  /// A lower bound of what the flows cost.
  std::uint64_t least_of_parts(std::size_t most_classes) {
    Weights left = sum_.weights;
    std::vector<FlowClasses> parts;
    std::vector<std::vector<std::uint32_t>> open = connected(numbered(sum_.size()), left);
    while (!open.empty() && !has_to_stop()) {
      const std::vector<std::uint32_t> part = std::move(open.back());
      open.pop_back();
      take(parts.emplace_back(part_of(left, part, most_classes)), left);
      for (std::vector<std::uint32_t>& rest : connected(part, left)) {
        is_split_ = true;
        open.push_back(std::move(rest));
      }
    }
    // The one of the most flow comes last: the others say how much of it is enough.
    std::ranges::stable_sort(parts, std::less{}, &FlowClasses::total_flow);
    std::uint64_t sum =
        std::accumulate(left.begin(), left.end(), std::uint64_t{0}) / 2 * places_.least_length;
    for (FlowClasses& part : parts) {
      const bool is_last = &part == &parts.back();
      sum += is_last && sum >= settings_.reached
                 ? 0
                 : least_of(part, is_last ? settings_.reached - sum : unlimited);
    }
    return sum;
  }

  FlowClasses part_of(const Weights& weights, const std::vector<std::uint32_t>& processes,
                      std::size_t most_classes) const {
    std::size_t most = processes.size() <= few_processes ? processes.size() : most_classes;
    FlowClasses part;
    while (part.total_flow() == 0) {
      part = merged_classes(weights, sum_.size(), processes, most++);
    }
    return part;
  }

  void take(const FlowClasses& part, Weights& weights) const {
    for (std::size_t a = 0; a < part.size(); ++a) {
      for (std::size_t b = 0; b < part.size(); ++b) {
        for (const std::uint32_t one : part.members[a]) {
          for (const std::uint32_t other : part.members[b]) {
            weights[one * sum_.size() + other] -= one == other ? 0 : part.weight(a, b);
          }
        }
      }
    }
  }

  /// The least cost of classes; of those that were placed before in multiples of these weights, the
  /// multiple.
  std::uint64_t least_of(FlowClasses& classes, std::uint64_t enough) {
    std::uint64_t unit = 0;
    for (const std::uint64_t weight : classes.weights) {
      unit = std::gcd(unit, weight);
    }
    for (std::uint64_t& weight : classes.weights) {
      weight /= unit;
    }
    Weights shape = classes.weights;
    for (std::size_t a = 0; a < classes.size(); ++a) {
      shape.push_back(classes.member_count(a));
    }
    const std::uint64_t enough_units = enough / unit + (enough % unit == 0 ? 0 : 1);
    Known& known = known_[shape];
    const bool is_capped = known.least == known.enough && known.enough < enough_units;
    if (is_capped || (known.is_over && known.most_cases < most_cases_)) {
      ClassPlacements placements{places_, classes, most_cases_, settings_.should_stop};
      known = {.least = placements.least(enough_units),
               .enough = enough_units,
               .most_cases = most_cases_,
               .is_over = placements.is_over()};
      cases_ += placements.cases();
    }
    has_given_up_ = has_given_up_ || known.is_over;
    return std::min(known.least, enough_units) * unit;
  }

  /// Those of the processes that flows join, two or more.
  std::vector<std::vector<std::uint32_t>> connected(const std::vector<std::uint32_t>& processes,
                                                    const Weights& weights) const {
    std::vector<std::vector<std::uint32_t>> parts;
    std::vector<bool> is_seen(sum_.size());
    for (const std::uint32_t first : processes) {
      std::vector<std::uint32_t> part;
      const auto reach = [&](std::uint32_t process) {
        if (!is_seen[process]) {
          is_seen[process] = true;
          part.push_back(process);
        }
      };
      reach(first);
      for (std::size_t next = 0; next < part.size(); ++next) {
        for (const std::uint32_t other : processes) {
          if (weights[part[next] * sum_.size() + other] > 0) {
            reach(other);
          }
        }
      }
      if (part.size() > 1) {
        std::ranges::sort(part);
        parts.push_back(std::move(part));
      }
    }
    return parts;
  }

  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  const CasesSettings& settings_;
  Places places_;
  const PlacementSum& sum_;
  struct Known {
    std::uint64_t least = 0;
    std::uint64_t enough = 0;
    std::uint64_t most_cases = 0;
    bool is_over = false;
  };
  std::map<Weights, Known> known_;
  std::uint64_t most_cases_ = 4096;  ///< of a part; more in each round
  bool has_given_up_ = false;        ///< on a part in this round
  bool is_split_ = false;            ///< whether more classes leave out less of some part
  std::uint64_t cases_ = 0;
};

}  // namespace

std::optional<FlowPartsBound> bound_by_parts(const SearchProblem& problem,
                                             const CasesSettings& settings) {
  if (problem.slots > 1 || problem.has_pins()) {
    return std::nullopt;
  }
  const std::optional<SlotDistances> distances = distances_of_sum(problem, PlaceSet::most_places);
  if (!distances) {
    return std::nullopt;
  }
  const PlacementSum sum{problem, *distances};
  // Sums of what both ends of all pairs cost, and twice that, fit.
  const UInt128 most =
      UInt128{std::accumulate(sum.weights.begin(), sum.weights.end(), UInt128{0})} *
      std::ranges::max(sum.lengths);
  if (most >> 61U != 0) {
    return std::nullopt;
  }
  return FlowParts{problem, sum, settings}.run();
}

}  // namespace dcube
