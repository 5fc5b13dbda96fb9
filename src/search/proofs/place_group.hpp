#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dcube {

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

  /// The lowest place that the group takes this one to.
  std::size_t lowest(std::size_t place) const { return lowest_[place]; }

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

}  // namespace dcube
