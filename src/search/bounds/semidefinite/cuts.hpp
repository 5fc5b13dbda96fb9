#pragma once

#include <cstddef>
#include <vector>

#include "relaxation.hpp"

namespace dcube {

/// Inequalities that cut distances satisfy and the shares of a relaxation do not: triangles, by
/// enumeration, and pentagons, by two processes more beside triangles that bind.
class CutFinder {
 public:
  CutFinder(const DifferenceClasses& classes, const Talkers& talkers)
      : classes_{classes}, talkers_{talkers} {}

  /// Adds the most violated ones to the relaxation, so many at most.
  void add_violated(Relaxation& relaxation, std::size_t most, bool with_pentagons) const;

 private:
  struct Violated {
    double by = 0;
    ProcessCut cut;
  };
  void find_triangles(const Relaxation& relaxation, std::size_t distance,
                      std::vector<Violated>& found) const;
  void find_pentagons(const Relaxation& relaxation, std::size_t distance,
                      std::vector<Violated>& found) const;

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
};

}  // namespace dcube
