#pragma once

#include <vector>

#include "slot_distances.hpp"

namespace dcube {

/// The eigenvalues that the distances between all slots have on the vectors that are orthogonal to
/// the one of ones.
struct DistanceSpectrum {
  std::vector<double> values;  ///< ascending
  double error = 0;            ///< greatest length of `values` less the true eigenvalues
};

/// Spectrum by a numeric solver, checked.
DistanceSpectrum projected_spectrum(const SlotDistances& distances);

/// Spectrum in closed form on whole rings, tori and hypercubes: sums of Fourier coefficients of the
/// distances on each cycle. A distance is a sum over the dimensions, so a wave that changes along
/// two of them has the eigenvalue 0. Nothing elsewhere.
DistanceSpectrum spectrum_of_cycles(const SearchProblem& problem);

}  // namespace dcube
