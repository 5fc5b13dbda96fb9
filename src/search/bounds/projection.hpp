#pragma once

#include <vector>

#include "slot_distances.hpp"

namespace dcube {

/// The eigenvalues, ascending, that the distances between all slots have on the vectors that are
/// orthogonal to the one of ones, by a numeric solver.
std::vector<double> projected_spectrum(const SlotDistances& distances);

/// The same in closed form on whole rings, tori and hypercubes: sums of Fourier coefficients of
/// the distances on each cycle. A distance is a sum over the dimensions, so a wave that changes
/// along two of them has the eigenvalue 0. Nothing elsewhere.
std::vector<double> spectrum_of_cycles(const SearchProblem& problem);

}  // namespace dcube
