#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace dcube {

/// Flows as if the processes of a class were clones: each pair of two classes, and each within one,
/// has the least weight of all such pairs. What is left of the flows is negative nowhere.
struct FlowClasses {
  std::vector<std::vector<std::uint32_t>> members{};  ///< by class
  std::vector<std::uint64_t> weights{};               ///< of two classes

  std::size_t size() const { return members.size(); }
  std::uint64_t weight(std::size_t a, std::size_t b) const { return weights[a * size() + b]; }
  std::uint64_t member_count(std::size_t of_class) const { return members[of_class].size(); }
  /// The sum of all weights within classes, and of those between two of them.
  std::uint64_t own_flow(std::size_t of_class) const;
  std::uint64_t flow(std::size_t a, std::size_t b) const;
  std::uint64_t flow_of(std::size_t of_class) const;
  std::uint64_t total_flow() const;
};

/// At most so many classes of some `processes`, by `weights` of all pairs (`process_count` squared,
/// symmetric): classes are merged, or dropped with their flows, as long as there are more, where
/// the least flow is left out. The one of the most flow within comes first, each other follows
/// those that it has most flow with.
FlowClasses merged_classes(std::span<const std::uint64_t> weights, std::size_t process_count,
                           std::span<const std::uint32_t> processes, std::size_t most);

/// Some of at most 128 places.
class PlaceSet {
 public:
  static constexpr std::size_t most_places = 128;

  bool contains(std::size_t place) const { return (words_[place / 64] >> place % 64 & 1U) != 0; }
  void insert(std::size_t place) { words_[place / 64] |= std::uint64_t{1} << place % 64; }
  void insert(const PlaceSet& other) {
    words_[0] |= other.words_[0];
    words_[1] |= other.words_[1];
  }
  /// Calls `visit(place)`, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1) {
        visit(64 * word + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
  friend auto operator<=>(const PlaceSet&, const PlaceSet&) = default;

 private:
  std::array<std::uint64_t, most_places / 64> words_{};
};

/// Permutations of places that form a group, and where they take each place.
class PlaceGroup {
 public:
  using Place = std::uint8_t;

  /// `images`: a permutation after the other, which keep all distances, the identity among them.
  PlaceGroup(std::vector<Place> images, std::size_t places)
      : images_{std::make_shared<const std::vector<Place>>(std::move(images))}, places_{places} {
    for (std::size_t first = 0; first < images_->size(); first += places) {
      members_.push_back(first);
    }
    note_lowest();
  }

  /// Those that take the set to itself.
  PlaceGroup that_fix(const PlaceSet& set) const {
    PlaceGroup fixing{*this};
    std::erase_if(fixing.members_, [&](std::size_t first) {
      bool is_fixed = true;
      set.for_each([&](std::size_t place) {
        is_fixed = is_fixed && set.contains((*images_)[first + place]);
      });
      return !is_fixed;
    });
    fixing.note_lowest();
    return fixing;
  }

  /// Sets that the group takes to each other, together with their keys, have the same of these.
  /// `keys` are some of the set, one at least.
  PlaceSet standard_form(const PlaceSet& set, const PlaceSet& keys) const {
    std::size_t lowest = places_;
    keys.for_each([&](std::size_t key) { lowest = std::min<std::size_t>(lowest, lowest_[key]); });
    PlaceSet form;
    keys.for_each([&](std::size_t key) {
      if (lowest_[key] != lowest) {
        return;
      }
      for (const std::size_t first : to_lowest_[key]) {
        PlaceSet image;
        set.for_each([&](std::size_t place) { image.insert((*images_)[first + place]); });
        form = std::max(form, image);
      }
    });
    return form;
  }

 private:
  void note_lowest() {
    lowest_.assign(places_, static_cast<Place>(places_ - 1));
    to_lowest_.assign(places_, {});
    for (const std::size_t first : members_) {
      for (std::size_t place = 0; place < places_; ++place) {
        const Place image = (*images_)[first + place];
        if (image < lowest_[place]) {
          to_lowest_[place].clear();
          lowest_[place] = image;
        }
        if (image == lowest_[place]) {
          to_lowest_[place].push_back(first);
        }
      }
    }
  }

  std::shared_ptr<const std::vector<Place>> images_;
  std::size_t places_;
  std::vector<std::size_t> members_;  ///< where each begins in `images_`
  std::vector<Place> lowest_;         ///< by place
  std::vector<std::vector<std::size_t>> to_lowest_;
};

/// Where processes go: at most PlaceSet::most_places places.
struct Places {
  std::vector<std::uint32_t> lengths;  ///< of two places, symmetric
  std::size_t size = 0;
  PlaceGroup symmetries;
  std::uint32_t least_length = 0;  ///< of two different places

  std::uint32_t length(std::size_t a, std::size_t b) const { return lengths[a * size + b]; }
};

/// The least sum of weight times length over all ways to place classes of clones.
///
/// A class follows another, as a set of places that grows by its costliest member: sets that
/// symmetries take to each other, and sets that differ in who of the clones is where, are one case.
/// What is left costs at least what it costs by itself ("Russian dolls": Verfaillie, Lemaître &
/// Schiex 1996).
class ClassPlacements {
 public:
  ClassPlacements(const Places& places, const FlowClasses& classes, std::uint64_t most_cases,
                  std::function<bool()> should_stop);

  /// The least sum, or `enough` where it is no less; a lower bound of it, if is_over().
  std::uint64_t least(std::uint64_t enough);
  /// Whether there were too many cases, or should_stop() has ended it.
  bool is_over() const { return is_over_; }
  std::uint64_t cases() const { return cases_; }

 private:
  struct Case {
    std::uint64_t bound = 0;
    std::uint64_t cost = 0;
    PlaceSet places{};

    friend auto operator<=>(const Case&, const Case&) = default;
  };
  /// All classes up to one have their places.
  struct Placed {
    PlaceSet taken{};
    std::uint64_t cost = 0;
    PlaceGroup symmetries;                   ///< that fix the places of each class
    std::vector<std::uint64_t> to_placed{};  ///< [class, place]: what a member there would cost
  };
  class Growth;

  std::uint64_t least_of(std::size_t first, std::uint64_t from, std::uint64_t enough);
  void place_from(std::size_t first);
  void place(std::size_t at, const Placed& placed);
  std::vector<Case> grown(std::size_t at, const Placed& placed, const std::vector<Case>& cases,
                          std::size_t members);
  Placed with(std::size_t at, const Placed& placed, const Case& one) const;
  bool has_to_stop() {
    return is_over_ = is_over_ || cases_ > most_cases_ || (should_stop_ && should_stop_());
  }

  const Places& places_;
  const FlowClasses& classes_;
  std::uint64_t most_cases_;
  std::function<bool()> should_stop_;
  std::vector<std::uint64_t> sizes_;  ///< of the classes, as many as are to be placed
  /// [class][members]: the least cost of so many of this class and all of those behind it.
  std::vector<std::vector<std::uint64_t>> alone_;
  std::uint64_t limit_ = 0;   ///< ways that cost as much are of no interest
  std::uint64_t passed_ = 0;  ///< the least bound of a case that the limit has closed
  bool is_found_ = false;
  bool is_dive_ = false;  ///< goes on with a few cases, to find some way
  bool is_over_ = false;
  std::uint64_t cases_ = 0;
};

}  // namespace dcube
