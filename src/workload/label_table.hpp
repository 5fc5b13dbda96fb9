#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Maps millions of labels, of up to 2^32 characters in all, to numbers by open addressing.
class LabelTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void clear() {
    // Clearing a table that is much too large would take long.
    if (8 * (labels_.size() + 1) < places_.size()) {
      places_.clear();
    } else {
      places_.assign(places_.size(), {});
    }
    labels_.clear();
    characters_.clear();
  }
  /// False: the label is known.
  bool add(std::string_view text, std::uint32_t number) {
    if (2 * (labels_.size() + 1) > places_.size()) {
      grow();
    }
    const std::uint32_t hash = hash_of(text);
    Place& place = places_[place_of(text, hash)];
    if (place.label != none) {
      return false;
    }
    place = {hash, static_cast<std::uint32_t>(labels_.size())};
    labels_.push_back({static_cast<std::uint32_t>(characters_.size()), number});
    characters_ += text;
    return true;
  }
  /// The label's number, or none.
  std::uint32_t find(std::string_view text) const {
    if (places_.empty()) {
      return none;
    }
    const std::uint32_t label = places_[place_of(text, hash_of(text))].label;
    return label == none ? none : labels_[label].number;
  }
  /// Number of labels; they are in the order of addition.
  std::size_t size() const { return labels_.size(); }
  std::string_view text(std::size_t label) const {
    const std::size_t begin = labels_[label].begin;
    const std::size_t end =
        label + 1 < labels_.size() ? labels_[label + 1].begin : characters_.size();
    return {characters_.data() + begin, end - begin};
  }
  std::uint32_t number(std::size_t label) const { return labels_[label].number; }

 private:
  struct Label {
    std::uint32_t begin = 0;  ///< of its characters
    std::uint32_t number = 0;
  };
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t label = none;
  };

  static std::uint32_t hash_of(std::string_view text) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = text.size();
    while (!text.empty()) {
      std::uint64_t piece = 0;
      const std::size_t length = text.size() < sizeof piece ? text.size() : sizeof piece;
      std::memcpy(&piece, text.data(), length);
      mixed = (mixed ^ piece) * odd;
      mixed ^= mixed >> 32U;
      text.remove_prefix(length);
    }
    return static_cast<std::uint32_t>(mixed);
  }
  /// Place of the label, or of its insertion.
  std::size_t place_of(std::string_view wanted, std::uint32_t hash) const {
    const std::size_t mask = places_.size() - 1;
    const Place* const places = places_.data();  // the mask keeps within bounds
    std::size_t place = hash & mask;
    while (places[place].label != none &&
           (places[place].hash != hash || text(places[place].label) != wanted)) {
      place = (place + 1) & mask;
    }
    return place;
  }
  void grow() {
    std::vector<Place> old(places_.empty() ? 16 : 2 * places_.size());
    old.swap(places_);
    const std::size_t mask = places_.size() - 1;
    for (const Place& of : old) {
      if (of.label != none) {
        std::size_t place = of.hash & mask;
        while (places_[place].label != none) {
          place = (place + 1) & mask;
        }
        places_[place] = of;
      }
    }
  }

  std::vector<Place> places_;  ///< empty, or a power of two
  std::vector<Label> labels_;
  std::string characters_;  ///< of all labels
};

}  // namespace dcube
