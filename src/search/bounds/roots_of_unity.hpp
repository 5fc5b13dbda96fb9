#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace dcube {

/// The n-th roots of unity, in order from 1, and how far each is at most from the true one: less
/// than `error`. Numbers of which each is the one before times the first have the first to the n-th
/// as their last, so it is a root; and its powers are all of them when none but the last is 1.
struct RootsOfUnity {
  explicit RootsOfUnity(std::uint32_t n);

  std::vector<std::complex<double>> values;
  double error = 0;  ///< infinite where nothing can be said
};

}  // namespace dcube
