#include "relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/mapped.hpp"
#include "matrices.hpp"

// Steps, for a penalty r and scaled multipliers U of Y = Z, Z positive semidefinite with the null
// vector w:
//   shares of every pair: the nearest point to basis' (Z - U) - costs / 2r of {share >= 0, sum 1};
//   Z: Y + U without w and without its negative part; then U += Y - Z.
// With cuts a pair moves only part of the way, as many cuts as it is in pull at it, and the
// multipliers of the cuts follow (linearised steps).

namespace dcube {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// Pairs step so many times farther, and multipliers of cuts so many times less, than balanced
/// steps would (Pock & Chambolle 2011); found by trial.
constexpr double cut_pace = 12;

template <class Number>
Vector as_vector(const std::vector<Number>& numbers) {
  using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  return Eigen::Map<const Numbers>{numbers.data(), static_cast<Index>(numbers.size())}
      .template cast<double>();
}

}  // namespace

Relaxation::Relaxation(const DifferenceClasses& classes, const Talkers& talkers)
    : classes_{classes},
      talkers_{talkers},
      talker_count_{static_cast<Index>(talkers.count())},
      centre_{classes.has_centre() ? 1 : 0},
      idle_{static_cast<double>(talkers.idle)},
      modes_{static_cast<Index>(classes.mode_count())},
      first_class_{talkers.slots == 1 ? 1 : 0} {
  rows_ = centre_ + talker_count_ + (talkers.idle > 0 ? 1 : 0);
  for (Index a = centre_; a < centre_ + talker_count_; ++a) {
    for (Index b = a + 1; b < centre_ + talker_count_; ++b) {
      pairs_.push_back({a, b});
    }
  }
  talker_pairs_ = pairs_.size();
  if (talkers.idle > 0) {
    for (Index a = centre_; a < rows_ - (talkers.idle > 1 ? 0 : 1); ++a) {
      pairs_.push_back({a, rows_ - 1});
    }
  }
  make_basis();
  make_lengths();
  make_null_vectors();
  start();
}

void Relaxation::make_basis() {
  using Fixed = DifferenceClasses::Fixed;
  using Means =
      Eigen::Map<const Eigen::Matrix<Fixed, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const auto classes = static_cast<Index>(classes_.class_count());
  const auto orbits = static_cast<Index>(classes_.orbit_count());
  const double unit = std::ldexp(1.0, -DifferenceClasses::fraction_bits);
  roots_ = as_vector(classes_.class_sizes).tail(classes - first_class_).cwiseSqrt();
  own_ = (as_vector(classes_.mode_sizes) / classes_.order).cwiseSqrt();
  const Means means{classes_.means.data(), modes_, classes};
  basis_ = own_ * roots_.transpose() * unit;
  basis_.array() *= means.rightCols(roots_.size()).cast<double>().array();
  const Means centre_means{classes_.centre_means.data(), modes_, orbits};
  orbit_basis_ = (own_ * unit).asDiagonal() * centre_means.cast<double>();
  orbit_scales_.resize(orbits);
  for (Index o = 0; o < orbits; ++o) {
    orbit_scales_[o] = 1 / orbit_basis_.col(o).norm();
    orbit_basis_.col(o) *= orbit_scales_[o];
  }
}

void Relaxation::make_lengths() {
  for (const CutDistance& distance : classes_.distances) {
    Lengths lengths;
    const double squares = sum_of(distance.of_class, [](std::int64_t length) {
      return static_cast<double>(length * length);
    });
    lengths.scale = 1.7 * std::sqrt(squares / static_cast<double>(distance.of_class.size()));
    lengths.of_class =
        as_vector(distance.of_class).tail(roots_.size()).cwiseProduct(roots_) / lengths.scale;
    const Vector from_centre = as_vector(distance.from_centre);
    lengths.from_centre =
        from_centre.cwiseProduct(orbit_scales_.head(from_centre.size())) / lengths.scale;
    lengths.norm = lengths.of_class.norm();
    lengths_.push_back(std::move(lengths));
  }
}

void Relaxation::make_null_vectors() {
  const double unit = std::ldexp(1.0, -DifferenceClasses::fraction_bits);
  for (Index j = 0; j < modes_; ++j) {
    Vector w = Vector::Ones(rows_);
    if (centre_ > 0) {
      w[0] = -static_cast<double>(classes_.centre_sums[static_cast<std::size_t>(j)]) * unit *
             talkers_.slots;
    }
    if (idle_ > 0) {
      w[rows_ - 1] = std::sqrt(idle_);
    }
    null_vectors_.push_back(w / w.norm());
  }
}

void Relaxation::start() {
  const auto scale = std::ldexp(1.0, -talkers_.scale_bits);
  const Vector hops = as_vector(classes_.hops).tail(roots_.size());
  costs_ = Matrix::Zero(roots_.size(), static_cast<Index>(talker_pairs_));
  for (std::size_t p = 0; p < talker_pairs_; ++p) {
    const auto weight =
        static_cast<double>(talkers_.weight(static_cast<std::size_t>(pairs_[p].a - centre_),
                                            static_cast<std::size_t>(pairs_[p].b - centre_))) *
        scale;
    costs_.col(static_cast<Index>(p)) = (weight * hops).cwiseProduct(roots_);
  }
  // All differences are as frequent as on the whole group.
  const double all = roots_.squaredNorm();
  state_.shares = (roots_ / all).replicate(1, static_cast<Index>(pairs_.size()));
  if (centre_ > 0) {
    const Vector orbits =
        as_vector(classes_.orbit_sizes).cwiseQuotient(orbit_scales_ * classes_.node_count);
    state_.orbit_shares = orbits.replicate(1, rows_ - 1);
  }
  const auto modes = static_cast<std::size_t>(modes_);
  matrices_.assign(modes, Matrix::Zero(rows_, rows_));
  state_.multipliers = matrices_;
  idle_matrices_ = Vector::Zero(modes_);
  state_.idle_multipliers = idle_matrices_;
  fill_matrices();
  state_.projected = matrices_;
  state_.idle_projected = idle_matrices_;
}

void Relaxation::fill_matrices() {
  const Matrix values = basis_ * state_.shares;
  const Matrix centre = centre_ > 0 ? Matrix{orbit_basis_ * state_.orbit_shares} : Matrix{};
  const double root = std::sqrt(idle_);
  for (Index j = 1; j < modes_; ++j) {
    Matrix& matrix = matrices_[static_cast<std::size_t>(j)];
    matrix.diagonal().setConstant(own_[j]);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [a, b] = pairs_[p];
      const double value = values(j, static_cast<Index>(p));
      if (a == b) {
        matrix(a, a) = own_[j] + (idle_ - 1) * value;
        idle_matrices_[j] = own_[j] - value;
      } else {
        matrix(a, b) = matrix(b, a) = is_idle_row(b) ? root * value : value;
      }
    }
    if (centre_ > 0) {
      matrix(0, 0) = classes_.mode_has_centre[static_cast<std::size_t>(j)] ? own_[j] : 0;
      for (Index a = 1; a < rows_; ++a) {
        matrix(0, a) = matrix(a, 0) = centre(j, a - 1) * (is_idle_row(a) ? root : 1);
      }
    }
  }
}

bool Relaxation::step(const std::function<bool()>& should_stop) {
  weigh_cuts();
  step_pairs();
  if (centre_ > 0) {
    step_centre();
  }
  if (!terms_.empty()) {
    measure_distances();
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      state_.cut_multipliers[i] = next_multiplier(i);
    }
  }
  fill_matrices();
  return step_matrices(terms_.empty() ? 1.7 : 1.6, should_stop);
}

/// Moves what a pair would become towards what cuts ask for, and only part of the way.
void Relaxation::pull(Eigen::Ref<Vector> next, Index pair, Vector Lengths::*lengths,
                      const Eigen::Ref<const Vector>& before) const {
  const double over = 1 / (2 * state_.penalty);
  for (std::size_t d = 0; d < lengths_.size(); ++d) {
    if (cut_gradients_[d][pair] != 0) {
      next -= over * cut_gradients_[d][pair] * lengths_[d].*lengths;
    }
  }
  next = (next + cut_weights_[pair] * before) / (1 + cut_weights_[pair]);
}

void Relaxation::step_pairs() {
  const auto count = static_cast<Index>(pairs_.size());
  Matrix targets(modes_, count);
  targets.row(0).setConstant(own_[0]);
  const double root = std::sqrt(idle_);
  for (Index j = 1; j < modes_; ++j) {
    const Matrix& z = state_.projected[static_cast<std::size_t>(j)];
    const Matrix& u = state_.multipliers[static_cast<std::size_t>(j)];
    for (Index p = 0; p < count; ++p) {
      const auto [a, b] = pairs_[static_cast<std::size_t>(p)];
      const double target = z(a, b) - u(a, b);
      targets(j, p) = a == b
                          ? (target - state_.idle_projected[j] + state_.idle_multipliers[j]) / idle_
                      : is_idle_row(b) ? target / root
                                       : target;
    }
  }
  Matrix next = basis_.transpose() * targets;
  const auto talking = static_cast<Index>(talker_pairs_);
  next.leftCols(talking) -= 1 / (2 * state_.penalty) * costs_;
  for (Index p = 0; p < talking && !terms_.empty(); ++p) {
    pull(next.col(p), p, &Lengths::of_class, state_.shares.col(p));
  }
  for (Index p = 0; p < count; ++p) {
    const std::uint64_t allowed = p < talking && !allowed_.empty()
                                      ? allowed_[static_cast<std::size_t>(p)] >> first_class_
                                      : ~std::uint64_t{0};
    project_on_simplex(next.col(p), roots_, allowed);
  }
  state_.shares = std::move(next);
}

void Relaxation::step_centre() {
  Vector targets(modes_);
  for (Index a = 1; a < rows_; ++a) {
    targets[0] = own_[0];
    const double root = is_idle_row(a) ? std::sqrt(idle_) : 1;
    for (Index j = 1; j < modes_; ++j) {
      targets[j] = (state_.projected[static_cast<std::size_t>(j)](0, a) -
                    state_.multipliers[static_cast<std::size_t>(j)](0, a)) /
                   root;
    }
    Vector next = orbit_basis_.transpose() * targets;
    if (!terms_.empty() && a <= talker_count_) {
      pull(next, static_cast<Index>(talker_pairs_) + a - 1, &Lengths::from_centre,
           state_.orbit_shares.col(a - 1));
    }
    project_on_simplex(next, orbit_scales_, ~std::uint64_t{0});
    state_.orbit_shares.col(a - 1) = next;
  }
}

bool Relaxation::step_matrices(double relaxation, const std::function<bool()>& should_stop) {
  double primal = 0;
  double dual = 0;
  double size = 0;
  for (Index j = 1; j < modes_; ++j) {
    if (should_stop && should_stop()) {
      return false;
    }
    const auto at = static_cast<std::size_t>(j);
    Matrix& z = state_.projected[at];
    Matrix& u = state_.multipliers[at];
    const Matrix sum = relaxation * matrices_[at] + (1 - relaxation) * z + u;
    Matrix rest = sum;
    take_out(rest, null_vectors_[at]);
    Matrix next = positive_part(rest);
    primal += (matrices_[at] - next).squaredNorm();
    dual += (next - z).squaredNorm();
    size += matrices_[at].squaredNorm();
    u = sum - next;
    z = std::move(next);
    if (idle_ > 1) {
      const double other = relaxation * idle_matrices_[j] +
                           (1 - relaxation) * state_.idle_projected[j] + state_.idle_multipliers[j];
      state_.idle_projected[j] = std::max(0.0, other);
      state_.idle_multipliers[j] = other - state_.idle_projected[j];
    }
  }
  ++state_.steps;
  primal_residual_ = std::sqrt(primal / size);
  dual_residual_ = std::sqrt(dual / size);
  balance();
  return true;
}

void Relaxation::scale_penalty(double factor) {
  state_.penalty *= factor;
  for (Matrix& u : state_.multipliers) {
    u /= factor;
  }
  state_.idle_multipliers /= factor;
}

void Relaxation::heat() {
  constexpr double hot = 3;
  if (coolest_ == 0) {
    coolest_ = state_.penalty / 4;
  }
  scale_penalty(hot * 4 * coolest_ / state_.penalty);
}

void Relaxation::balance() {
  if (coolest_ > 0) {
    constexpr double cooling = 0.85;
    if (state_.steps % 30 == 0 && state_.penalty > coolest_) {
      scale_penalty(cooling);
    }
    return;
  }
  constexpr std::uint32_t early_steps = 150;
  const bool is_early = state_.steps <= early_steps;
  if (state_.steps % (is_early ? 10 : 30) != 0 || dual_residual_ <= 0) {
    return;
  }
  const double most = is_early ? 1.6 : 1.3;
  const double factor = std::clamp(std::sqrt(primal_residual_ / dual_residual_), 1 / most, most);
  if (factor > 1.15 || factor < 0.87) {
    scale_penalty(factor);
  }
}

Dual Relaxation::dual() const {
  Dual dual;
  const double root = std::sqrt(idle_);
  for (Index j = 1; j < modes_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    // Of the matrices that are not scaled.
    Matrix rest = -state_.penalty * own_[j] * state_.multipliers[at];
    const Vector& w = null_vectors_[at];
    Vector level = take_out(rest, w);
    Matrix factor = positive_factor(rest);
    level *= w[centre_];  // w has ones at the talkers in Dual
    if (idle_ > 0) {
      if (factor.size() > 0) {
        factor.row(rows_ - 1) /= root;
      }
      level[rows_ - 1] /= root;
    }
    Dual::Mode mode;
    mode.factor = factor.unaryExpr([](double x) { return whole(x, Dual::fraction_bits); });
    mode.level = level.unaryExpr([](double x) { return whole(x, 2 * Dual::fraction_bits); });
    if (idle_ > 1) {
      const double idle = -state_.penalty * own_[j] * state_.idle_multipliers[j] / idle_;
      mode.idle = std::max<std::int64_t>(0, whole(idle, 2 * Dual::fraction_bits));
    }
    dual.modes.push_back(std::move(mode));
  }
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const std::int64_t multiplier = whole(
        state_.cut_multipliers[i] / lengths_[cuts_[i].distance].scale, 2 * Dual::fraction_bits);
    if (multiplier > 0) {
      dual.cuts.push_back({cuts_[i], multiplier});
    }
  }
  return dual;
}

// --- Cuts ---

Relaxation::Terms Relaxation::terms_of(const ProcessCut& cut) const {
  Terms terms{.distance = cut.distance};
  for (std::size_t i = 0; i < cut.points; ++i) {
    for (std::size_t j = i + 1; j < cut.points; ++j) {
      const std::size_t a = cut.talkers[i];
      const std::size_t b = cut.talkers[j];
      terms.pairs[terms.count] = static_cast<std::uint32_t>(
          b == talkers_.count() ? talker_pairs_ + a : talkers_.pair_of(a, b));
      terms.signs[terms.count++] = static_cast<std::int8_t>(cut.signs[i] * cut.signs[j]);
    }
  }
  const Lengths& lengths = lengths_[cut.distance];
  terms.most = static_cast<double>(cut.most(classes_.distances[cut.distance])) / lengths.scale;
  terms.step = 1 / (terms.count * lengths.norm * cut_pace);
  return terms;
}

void Relaxation::add_cuts(std::span<const ProcessCut> cuts) {
  for (const ProcessCut& cut : cuts) {
    cuts_.push_back(cut);
    terms_.push_back(terms_of(cut));
    state_.cut_multipliers.push_back(0);
  }
}

void Relaxation::drop_slack_cuts() {
  measure_distances();
  constexpr double slack = -0.02;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    if (state_.cut_multipliers[i] > 1e-9 || value(terms_[i]) > slack) {
      cuts_[kept] = cuts_[i];
      terms_[kept] = terms_[i];
      state_.cut_multipliers[kept++] = state_.cut_multipliers[i];
    }
  }
  cuts_.resize(kept);
  terms_.resize(kept);
  state_.cut_multipliers.resize(kept);
}

Vector Relaxation::measured(const Lengths& lengths) const {
  const auto talking = static_cast<Index>(talker_pairs_);
  Vector all = Vector::Zero(talking + centre_ * talker_count_);
  all.head(talking) = state_.shares.leftCols(talking).transpose() * lengths.of_class;
  if (lengths.from_centre.size() > 0) {
    all.tail(talker_count_) =
        state_.orbit_shares.leftCols(talker_count_).transpose() * lengths.from_centre;
  }
  return all;
}

void Relaxation::measure_distances() {
  measured_ = mapped(lengths_, [this](const Lengths& lengths) { return measured(lengths); });
}

double Relaxation::next_multiplier(std::size_t cut) const {
  const Terms& terms = terms_[cut];
  return std::max(0.0,
                  state_.cut_multipliers[cut] + 2 * state_.penalty * terms.step * value(terms));
}

double Relaxation::value(const Terms& terms) const {
  const Vector& measured = measured_[terms.distance];
  double value = -terms.most;
  for (std::uint32_t i = 0; i < terms.count; ++i) {
    value += terms.signs[i] * measured[terms.pairs[i]];
  }
  return value;
}

void Relaxation::weigh_cuts() {
  if (terms_.empty()) {
    return;
  }
  const Index pairs = static_cast<Index>(talker_pairs_) + centre_ * talker_count_;
  measure_distances();
  cut_weights_ = Vector::Zero(pairs);
  cut_gradients_.assign(lengths_.size(), Vector::Zero(pairs));
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Terms& terms = terms_[i];
    const double multiplier = next_multiplier(i);
    Vector& gradient = cut_gradients_[terms.distance];
    const double weight = lengths_[terms.distance].norm / cut_pace;
    for (std::uint32_t k = 0; k < terms.count; ++k) {
      cut_weights_[terms.pairs[k]] += weight;
      gradient[terms.pairs[k]] += terms.signs[k] * multiplier;
    }
  }
}

Matrix Relaxation::distance_table(std::size_t distance) const {
  const Lengths& lengths = lengths_[distance];
  const bool has_centre = lengths.from_centre.size() > 0;
  const Index points = talker_count_ + (has_centre ? 1 : 0);
  Matrix table = Matrix::Zero(points, points);
  const Vector all = measured(lengths);
  for (std::size_t p = 0; p < talker_pairs_; ++p) {
    const auto [a, b] = pairs_[p];
    table(a - centre_, b - centre_) = table(b - centre_, a - centre_) = all[static_cast<Index>(p)];
  }
  if (has_centre) {
    table.row(points - 1).head(talker_count_) = all.tail(talker_count_).transpose();
    table.col(points - 1) = table.row(points - 1).transpose();
  }
  return table;
}

double Relaxation::share(std::size_t pair, std::size_t of_class) const {
  const Index t = static_cast<Index>(of_class) - first_class_;
  return t < 0 ? 0 : state_.shares(t, static_cast<Index>(pair)) * roots_[t];
}

}  // namespace dcube
