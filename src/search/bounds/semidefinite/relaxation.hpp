#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dcube/search/cases.hpp"
#include "difference_classes.hpp"
#include "dual.hpp"
#include "talkers.hpp"

namespace dcube {

/// The relaxation, solved by alternating directions (Wen, Goldfarb & Yin 2010): what share of maps
/// puts a pair of processes into each class, so that all matrices Y of DifferenceClasses are
/// positive semidefinite and cuts hold. Matrices are scaled so that pairs step apart from each
/// other: Y of mode j, c characters of N, is sqrt(c / N) times that of DifferenceClasses, and
/// shares are over the roots of class sizes, because then
///   Y_j of a pair = sum over classes t of basis(j, t) share(t), with orthonormal columns.
/// All processes that talk to nobody are one row. Nothing here is exact; dual() is what a proof
/// starts from.
class Relaxation {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  Relaxation(const DifferenceClasses& classes, const Talkers& talkers);

  const DifferenceClasses& classes() const { return classes_; }
  const Talkers& talkers() const { return talkers_; }

  /// A state to come back to.
  struct State {
    std::vector<Matrix> projected{};
    std::vector<Matrix> multipliers{};
    Vector idle_projected{};
    Vector idle_multipliers{};
    double penalty = 1;
    Matrix shares{};
    Matrix orbit_shares{};
    std::vector<double> cut_multipliers{};
    std::uint32_t steps = 0;
  };
  const State& state() const { return state_; }
  /// Of the same cuts.
  void restore(const State& state) { state_ = state; }

  /// One step. All of them take about the same time. False where should_stop(), which is asked
  /// often, ended it half-way: then only the state that was kept is of use.
  bool step(const std::function<bool()>& should_stop);
  /// Whether further steps would change little.
  bool has_converged() const { return primal_residual_ < 2e-5 && dual_residual_ < 2e-5; }
  /// Raises the penalty, which then falls step by step in place of being balanced: multipliers of
  /// new cuts grow fast at first.
  void heat();

  /// The dual, in whole numbers.
  Dual dual() const;

  // --- Cuts ---

  const std::vector<ProcessCut>& cuts() const { return cuts_; }
  double multiplier(std::size_t cut) const { return state_.cut_multipliers[cut]; }
  void add_cuts(std::span<const ProcessCut> cuts);
  /// Takes away cuts that are slack and have no multiplier.
  void drop_slack_cuts();
  /// The scaled distances of two talkers, or from a talker to the centre: distance_table(d)(a, b).
  Matrix distance_table(std::size_t distance) const;
  /// By how much one divides a doubled distance to get the scaled one.
  double scale_of(std::size_t distance) const { return lengths_[distance].scale; }

  // --- Branching ---

  /// Classes that each pair of talkers may have, a bit each; empty: all.
  void allow(std::span<const std::uint64_t> masks) { allowed_ = masks; }
  /// Share of maps in which the difference of the pair of talkers is in the class.
  double share(std::size_t pair, std::size_t of_class) const;

 private:
  struct Pair {
    Eigen::Index a = 0;
    Eigen::Index b = 0;
  };
  /// A CutDistance over `scale`, times the roots of class sizes.
  struct Lengths {
    double scale = 1;
    Vector of_class{};
    Vector from_centre{};  ///< empty where the centre is no point of it
    double norm = 0;
  };
  static constexpr std::size_t most_terms =
      ProcessCut::most_points * (ProcessCut::most_points - 1) / 2;
  /// A cut as terms of pairs.
  struct Terms {
    std::uint32_t distance = 0;
    std::uint32_t count = 0;
    std::array<std::uint32_t, most_terms> pairs{};
    std::array<std::int8_t, most_terms> signs{};
    double most = 0;
    double step = 0;
  };

  void make_basis();
  void make_lengths();
  void make_null_vectors();
  void start();
  void fill_matrices();
  void pull(Eigen::Ref<Vector> next, Eigen::Index pair, Vector Lengths::*lengths,
            const Eigen::Ref<const Vector>& before) const;
  void step_pairs();
  void step_centre();
  bool step_matrices(double relaxation, const std::function<bool()>& should_stop);
  void balance();
  void scale_penalty(double factor);
  /// What cuts add to the gradient, by distance and pair.
  void weigh_cuts();
  /// Scaled distances of all pairs of talkers, then of talkers from the centre.
  Vector measured(const Lengths& lengths) const;
  void measure_distances();
  double value(const Terms& terms) const;
  double next_multiplier(std::size_t cut) const;
  Terms terms_of(const ProcessCut& cut) const;
  bool is_idle_row(Eigen::Index row) const { return idle_ > 0 && row == rows_ - 1; }

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  Eigen::Index talker_count_ = 0;
  Eigen::Index centre_ = 0;  ///< rows before the talkers
  Eigen::Index rows_ = 0;
  double idle_ = 0;
  Eigen::Index modes_ = 0;
  Eigen::Index first_class_ = 0;  ///< 1 where no two processes share a node
  std::size_t talker_pairs_ = 0;

  std::vector<Pair> pairs_;  ///< of talkers, of a talker and the idle, of two idle
  Matrix basis_;             ///< [mode, class - first_class_]
  Vector roots_;             ///< of class sizes
  Vector own_;               ///< by mode: Y of a process and itself
  Matrix orbit_basis_;       ///< [mode, orbit]
  Vector orbit_scales_;
  Matrix costs_;  ///< [class, pair of talkers]
  std::vector<Vector> null_vectors_;
  std::vector<Lengths> lengths_;

  State state_;
  std::vector<Matrix> matrices_;
  Vector idle_matrices_;
  std::vector<ProcessCut> cuts_;
  std::vector<Terms> terms_;
  Vector cut_weights_;                 ///< by pair
  std::vector<Vector> cut_gradients_;  ///< by distance and pair
  std::vector<Vector> measured_;       ///< by distance and pair
  std::span<const std::uint64_t> allowed_;
  double primal_residual_ = 1;
  double dual_residual_ = 1;
  double coolest_ = 0;  ///< least penalty; 0 before heat()
};

/// Adds inequalities that cut distances satisfy and the shares do not, the `most` that are most
/// violated: triangles, by enumeration, and pentagons.
void add_violated_cuts(Relaxation& relaxation, std::size_t most, bool with_pentagons);

/// The bound of all cases, and how many there were.
struct BranchedBound {
  std::uint64_t cost = 0;
  std::uint64_t cases = 0;
};

/// Branch and bound from the relaxation's state: a pair of processes is near or far, and each case
/// has a bound of its own, from the multipliers of the case it is part of. The case of the least
/// bound is split first, until all are closed or should_stop() ends it. Nothing where the classes
/// are many.
BranchedBound branched_bound(const Relaxation& relaxation, const CasesSettings& settings);

}  // namespace dcube
