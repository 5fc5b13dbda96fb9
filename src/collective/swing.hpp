#pragma once

#include <cstdint>
#include <vector>

#include "phases.hpp"

namespace dcube {

/// rho(s) = sum over i <= s of (-2)^i: 1, -1, 3, -5, 11, .. `step` < 31.
std::int64_t swing_distance(std::uint32_t step);

/// Who exchanges with whom in each step of Swing [De Sensi et al. 2024], on a torus whose sides are
/// powers of two.
class SwingSteps {
 public:
  /// The first step of a port is in the dimension of its number. Of 2D ports the last D swing the
  /// other way.
  SwingSteps(Torus torus, std::uint32_t port);

  std::uint32_t count() const { return static_cast<std::uint32_t>(steps_.size()); }
  std::uint32_t peer(std::uint32_t member, std::uint32_t step) const;
  /// Bit s tells whether step s is on the way from member 0 to `member` that takes some of the
  /// steps in their order, of which there is one. So members whose lowest bits agree are those that
  /// one of them is responsible for after as many steps.
  std::uint32_t place(std::uint32_t member) const;
  /// The members that `member` is responsible for after so many steps, ascending.
  std::vector<std::uint32_t> responsible(std::uint32_t member, std::uint32_t steps) const;

 private:
  struct InDimension {
    std::uint32_t dimension;
    std::uint32_t step;
  };
  Torus torus_;
  bool is_mirrored_;
  std::vector<InDimension> steps_;
};

}  // namespace dcube
