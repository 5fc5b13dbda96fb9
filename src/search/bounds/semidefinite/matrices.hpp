#pragma once

#include <Eigen/Core>
#include <cstdint>

// What steps of alternating directions and proofs do with symmetric matrices and with shares.

namespace dcube {

/// Takes the unit vector w out of a symmetric matrix: returns v with R = matrix - w v' - v w'.
Eigen::VectorXd take_out(Eigen::MatrixXd& matrix, const Eigen::VectorXd& w);

Eigen::MatrixXd positive_part(const Eigen::MatrixXd& matrix);

/// L with matrix = L L', but for what is not positive.
Eigen::MatrixXd positive_factor(const Eigen::MatrixXd& matrix);

/// Takes values to the nearest point of {x >= 0, weights x = 1}. One that is not allowed, by its
/// bit, becomes 0.
void project_on_simplex(Eigen::Ref<Eigen::VectorXd> values, const Eigen::VectorXd& weights,
                        std::uint64_t allowed);

/// Nearest multiple of 2^-bits, in such units.
std::int64_t whole(double value, int bits);

}  // namespace dcube
