#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flow_classes.hpp"
#include "place_group.hpp"

namespace dcube {

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
