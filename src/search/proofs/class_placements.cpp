#include "class_placements.hpp"

#include <limits>
#include <numeric>

#include "core/mapped.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();
/// Of a dive, at a time.
constexpr std::size_t few_cases = 16;

std::uint64_t sum_of_least(std::vector<std::uint64_t>& numbers, std::uint64_t count) {
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  if (count > 0 && end != numbers.end()) {
    std::nth_element(numbers.begin(), end, numbers.end());
  }
  return std::accumulate(numbers.begin(), end, std::uint64_t{0});
}

}  // namespace

ClassPlacements::ClassPlacements(const Places& places, const FlowClasses& classes,
                                 std::uint64_t most_cases, std::function<bool()> should_stop)
    : places_{places},
      classes_{classes},
      most_cases_{most_cases},
      should_stop_{std::move(should_stop)} {
  sizes_ = numbered(classes.size(), [&](std::size_t at) { return classes.member_count(at); });
  alone_.resize(classes.size() + 1, {0});
}

std::uint64_t ClassPlacements::least(std::uint64_t enough) {
  for (std::size_t first = classes_.size(); first-- > 0;) {
    std::uint64_t later = 0;
    for (std::size_t other = first + 1; other < classes_.size(); ++other) {
      later += classes_.weight(first, other) * sizes_[other];
    }
    const std::uint64_t all = sizes_[first];
    alone_[first] = {alone_[first + 1].back()};
    for (std::uint64_t members = 1; members <= all; ++members) {
      const std::uint64_t flow = later + (members - 1) * classes_.weight(first, first);
      const std::uint64_t from = alone_[first].back() + flow * places_.least_length;
      sizes_[first] = members;
      alone_[first].push_back(from);
      const bool is_last = first == 0 && members == all;
      alone_[first].back() = least_of(first, from, is_last ? enough : unbounded);
    }
  }
  return alone_.front().back();
}

/// The least cost of the classes from `first` on, which is no less than `from`.
std::uint64_t ClassPlacements::least_of(std::size_t first, std::uint64_t from,
                                        std::uint64_t enough) {
  limit_ = unbounded;
  is_found_ = false;
  is_dive_ = true;
  place_from(first);
  const std::uint64_t reached = limit_;
  is_dive_ = false;
  std::uint64_t least = from;
  // A limit near the least cost leaves few cases, and one below leaves fewer still.
  for (std::uint64_t beyond = 1; least < std::min(reached, enough) && !has_to_stop(); beyond *= 2) {
    limit_ = std::min({least + beyond, reached, enough});
    passed_ = unbounded;
    is_found_ = false;
    place_from(first);
    if (is_over_) {
      break;
    }
    if (is_found_) {
      return limit_;
    }
    alone_[first].back() = least = std::min({passed_, reached, enough});
  }
  return std::min(least, enough);
}

void ClassPlacements::place_from(std::size_t first) {
  place(first, {.symmetries = places_.symmetries,
                .to_placed = std::vector<std::uint64_t>(classes_.size() * places_.size)});
}

void ClassPlacements::place(std::size_t at, const Placed& placed) {
  if (at == classes_.size()) {
    limit_ = placed.cost;
    is_found_ = true;
    return;
  }
  std::vector<Case> cases{{placed.cost, placed.cost, {}}};
  for (std::uint64_t members = 0; members < sizes_[at] && !is_over_; ++members) {
    cases = grown(at, placed, cases, members);
  }
  for (const Case& one : cases) {
    if (is_over_ || one.bound >= limit_ || (is_dive_ && is_found_)) {
      return;
    }
    place(at + 1, with(at, placed, one));
  }
}

ClassPlacements::Placed ClassPlacements::with(std::size_t at, const Placed& placed,
                                              const Case& one) const {
  Placed next{.taken = placed.taken,
              .cost = one.cost,
              .symmetries = placed.symmetries.that_fix(one.places),
              .to_placed = placed.to_placed};
  next.taken.insert(one.places);
  for (std::size_t later = at + 1; later < classes_.size(); ++later) {
    const std::uint64_t weight = classes_.weight(at, later);
    for (std::size_t place = 0; weight > 0 && place < places_.size; ++place) {
      one.places.for_each([&](std::size_t member) {
        next.to_placed[later * places_.size + place] += weight * places_.length(place, member);
      });
    }
  }
  return next;
}

/// A case of a class, and what one more member does.
class ClassPlacements::Growth {
 public:
  Growth(const ClassPlacements& of, std::size_t at, const Placed& placed, const Case& one,
         std::uint64_t members)
      : of_{of}, at_{at}, placed_{placed}, one_{one}, members_{members + 1} {
    lengths_ = numbered(of.places_.size, [&](std::size_t place) {
      std::uint64_t sum = 0;
      one.places.for_each([&](std::size_t member) { sum += of.places_.length(place, member); });
      return sum;
    });
  }

  /// Whether no member costs more than the one on `place`; those that cost as much are the keys.
  bool take(std::size_t place) {
    place_ = place;
    const std::uint64_t cost = to_placed(at_, place) + within() * lengths_[place];
    keys_ = {};
    keys_.insert(place);
    ends_ = last_ = cost;
    bool is_costliest = true;
    one_.places.for_each([&](std::size_t member) {
      const std::uint64_t inner = within() * (lengths_[member] + length(member));
      const std::uint64_t of_member = to_placed(at_, member) + inner;
      is_costliest = is_costliest && of_member <= cost;
      if (of_member == cost) {
        keys_.insert(member);
      }
      ends_ += of_member;
    });
    return is_costliest;
  }

  std::uint64_t cost() const { return one_.cost + last_; }
  const PlaceSet& keys() const { return keys_; }
  PlaceSet places() const {
    PlaceSet set = one_.places;
    set.insert(place_);
    return set;
  }

  /// A lower bound of all ways that go on.
  std::uint64_t bound() {
    const std::uint64_t left = of_.sizes_[at_] - members_;
    std::uint64_t later = 0;
    std::uint64_t between = 0;
    for (std::size_t other = at_ + 1; other < of_.sizes_.size(); ++other) {
      const std::uint64_t weight = of_.classes_.weight(at_, other);
      collect(other, weight);
      later += sum_of_least(numbers_, of_.sizes_[other]);
      between += weight * left * of_.sizes_[other];
    }
    std::uint64_t nearest = 0;
    std::uint64_t least = 0;
    if (left > 0) {
      collect(at_, within());
      least = std::ranges::min(numbers_);
      nearest = sum_of_least(numbers_, left);
    }
    const std::uint64_t apart = nearest + of_.alone_[at_][left];
    const std::uint64_t chained =
        least_growth(left, least) + of_.alone_[at_ + 1].back() + between * of_.places_.least_length;
    return cost() + later + std::max(apart, chained);
  }

 private:
  std::uint64_t within() const { return of_.classes_.weight(at_, at_); }
  std::uint64_t length(std::size_t place) const { return of_.places_.length(place, place_); }
  std::uint64_t to_placed(std::size_t of_class, std::size_t place) const {
    return placed_.to_placed[of_class * of_.places_.size + place];
  }
  /// What a member of the class costs on each free place.
  void collect(std::size_t of_class, std::uint64_t weight) {
    numbers_.clear();
    for (std::size_t place = 0; place < of_.places_.size; ++place) {
      if (place != place_ && !placed_.taken.contains(place) && !one_.places.contains(place)) {
        numbers_.push_back(to_placed(of_class, place) + weight * (lengths_[place] + length(place)));
      }
    }
  }
  /// What `left` more members cost, with what is placed, at least. Each costs no less than any of
  /// the m before it costs then, so no less than an m-th of what these cost before, a pair within
  /// the class at both ends, and of what it adds to them.
  std::uint64_t least_growth(std::uint64_t left, std::uint64_t least) const {
    const std::uint64_t step = within() * of_.places_.least_length;
    std::uint64_t ends = ends_;
    std::uint64_t sum = 0;
    std::uint64_t last = last_;
    for (std::uint64_t members = members_; members < members_ + left; ++members) {
      const std::uint64_t added = members * step;
      last = std::max({last + step, least, (ends + added + members - 1) / members});
      sum += last;
      ends += last + added;
    }
    return sum;
  }

  const ClassPlacements& of_;
  std::size_t at_;
  const Placed& placed_;
  const Case& one_;
  std::uint64_t members_;               ///< with the one on `place_`
  std::vector<std::uint64_t> lengths_;  ///< by place: to all members of the case
  std::size_t place_ = 0;
  PlaceSet keys_;
  std::uint64_t last_ = 0;  ///< what the member on `place_` costs
  std::uint64_t ends_ = 0;  ///< the sum of what each member costs
  std::vector<std::uint64_t> numbers_;
};

/// All that follow from the cases by one more member of the class, in order.
std::vector<ClassPlacements::Case> ClassPlacements::grown(std::size_t at, const Placed& placed,
                                                          const std::vector<Case>& cases,
                                                          std::size_t members) {
  std::vector<Case> next;
  const auto sort_out = [&next] {
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
  };
  std::size_t most = few_cases * places_.size;
  for (const Case& one : cases) {
    if (has_to_stop() || one.bound >= limit_) {
      break;
    }
    Growth growth{*this, at, placed, one, members};
    for (std::size_t place = 0; place < places_.size; ++place) {
      if (placed.taken.contains(place) || one.places.contains(place) || !growth.take(place)) {
        continue;
      }
      const std::uint64_t bound = growth.bound();
      if (bound >= limit_) {
        passed_ = std::min(passed_, bound);
      } else {
        next.push_back({bound, growth.cost(),
                        placed.symmetries.standard_form(growth.places(), growth.keys())});
      }
    }
    if (next.size() > most) {
      sort_out();
      most = 2 * next.size() + most;
      is_over_ = cases_ + next.size() > most_cases_;
    }
  }
  sort_out();
  if (is_dive_) {
    next.resize(std::min(next.size(), few_cases));
  }
  cases_ += next.size();
  return next;
}

}  // namespace dcube
