#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace dcube {

/// Numbers 0, 1, .. of labels, in a table with open addressing. For texts with millions of them.
/// The texts must outlive the table.
class LabelTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Label {
    std::string_view text;
    std::uint32_t number = none;
  };

  /// Forgets all labels.
  void clear() {
    // A table that is much too large would take long to clear.
    if (8 * (used_ + 1) < labels_.size()) {
      labels_.clear();
    } else {
      labels_.assign(labels_.size(), {});
    }
    used_ = 0;
  }
  /// False: the label is known.
  bool add(std::string_view text, std::uint32_t number) {
    if (2 * (used_ + 1) > labels_.size()) {
      grow();
    }
    Label& label = labels_[place_of(text)];
    if (label.number != none) {
      return false;
    }
    label = {text, number};
    ++used_;
    return true;
  }
  /// Its number, or none.
  std::uint32_t find(std::string_view text) const {
    return labels_.empty() ? none : labels_[place_of(text)].number;
  }
  /// All places of the table; those without a label have no number.
  const std::vector<Label>& places() const { return labels_; }

 private:
  static std::uint64_t hash(std::string_view text) {
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
    return mixed;
  }
  /// Where the label is, or would be.
  std::size_t place_of(std::string_view text) const {
    const std::size_t mask = labels_.size() - 1;
    std::size_t place = hash(text) & mask;
    while (labels_[place].number != none && labels_[place].text != text) {
      place = (place + 1) & mask;
    }
    return place;
  }
  void grow() {
    std::vector<Label> old(labels_.empty() ? 16 : 2 * labels_.size());
    old.swap(labels_);
    for (const Label& label : old) {
      if (label.number != none) {
        labels_[place_of(label.text)] = label;
      }
    }
  }

  std::vector<Label> labels_;  ///< a power of two, or none
  std::size_t used_ = 0;
};

}  // namespace dcube
