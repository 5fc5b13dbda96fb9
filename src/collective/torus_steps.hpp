#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "phases.hpp"

namespace dcube {

/// rho(s) = sum over i <= s of (-2)^i: 1, -1, 3, -5, 11, .. `step` < 31.
std::int64_t swing_distance(std::uint32_t step);

/// How far a step leads in its dimension: Swing's distances up and down, or powers of two.
enum class StepDistance { swing, power_of_two };

/// What algorithms need whose ports take these steps on the torus of the call.
constexpr CollectiveNeeds torus_needs(bool power_of_two, bool commutative) {
  return {.power_of_two = power_of_two,
          .power_of_two_sides = true,
          .commutative = commutative,
          .ports = CollectiveNeeds::Ports::two_a_dimension,
          .sides = true};
}

/// Peers of exchanges in each step, on a torus whose sides are powers of two: step s / D in
/// dimension s mod D, of those that have so many [De Sensi et al. 2024].
class TorusSteps {
 public:
  /// A port begins with the dimension of its number. The last D of 2D ports are mirrored.
  TorusSteps(Torus torus, std::uint32_t port, StepDistance distance);

  std::uint32_t count() const { return static_cast<std::uint32_t>(steps_.size()); }
  std::uint32_t peer(std::uint32_t member, std::uint32_t step) const;
  /// Adds the peers of all members, in their order.
  void add_peers(std::vector<std::uint32_t>& members, std::uint32_t step) const;
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
  /// Coordinate of a member, mirrored if the steps are.
  std::uint32_t coordinate(std::uint32_t member, std::uint32_t dimension) const;

  Torus torus_;
  bool is_mirrored_;
  StepDistance distance_;
  std::vector<InDimension> steps_;
};

/// Reduce-scatter and allgather by halves of what is left, and back. Any member may answer for any
/// elements, so each answers for consecutive ones, by its place.
CollectiveSteps halving_reduce_scatter(const Members& members, const TorusSteps& exchanges,
                                       const Blocks& blocks);
CollectiveSteps doubling_allgather(const Members& members, const TorusSteps& exchanges,
                                   const Blocks& blocks);

/// Tree of a torus's members: those that member 0's values have reached pass them on in each step.
/// On the way from member 0 distances double, if the steps are taken in their order, or halve.
/// With Swing's distances this is a Bine tree [De Sensi et al. 2025].
class TorusTree {
 public:
  TorusTree(TorusSteps steps, TreeDistances distances)
      : steps_{std::move(steps)}, distances_{distances} {}

  std::optional<std::uint32_t> parent(std::uint32_t member) const;
  /// Those with the largest subtrees first.
  std::vector<std::uint32_t> children(std::uint32_t member) const;
  /// Members of the subtree of `member`, in any order.
  std::vector<std::uint32_t> subtree(std::uint32_t member) const;

 private:
  /// The step that is taken as number `turn`.
  std::uint32_t step(std::uint32_t turn) const {
    return distances_ == TreeDistances::doubling ? turn : steps_.count() - 1 - turn;
  }
  /// Turns until the values are at `member`.
  std::uint32_t turns_to(std::uint32_t member) const;

  TorusSteps steps_;
  TreeDistances distances_;
};

}  // namespace dcube
