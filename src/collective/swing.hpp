#pragma once

#include <cstdint>
#include <vector>

#include "phases.hpp"

namespace dcube {

/// rho(s) = sum over i <= s of (-2)^i: 1, -1, 3, -5, 11, .. `step` < 31.
std::int64_t swing_distance(std::uint32_t step);

/// Peers in each step of Swing [De Sensi et al. 2024], on a torus whose sides are powers of two.
class SwingSteps {
 public:
  /// A port begins with the dimension of its number. The last D of 2D ports swing the other way.
  SwingSteps(Torus torus, std::uint32_t port);

  std::uint32_t count() const { return static_cast<std::uint32_t>(steps_.size()); }
  std::uint32_t peer(std::uint32_t member, std::uint32_t step) const;
  /// Some of the steps, in their order, lead from member 0 to `member`; the choice is unique, and
  /// bit s says whether it has step s. So the members that one is responsible for after k steps are
  /// those with the same lowest k bits.
  std::uint32_t place(std::uint32_t member) const;
  /// Members that `member` is responsible for after `steps`, ascending.
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
