#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"
#include "fourier.hpp"

namespace dcube {

/// The points to transform: from a file, or random ones, which take no memory until used.
class FftPoints {
 public:
  /// `count` points, both parts drawn evenly from -1 up to 1 by the seed and the index alone.
  static FftPoints random(std::uint64_t seed, std::uint64_t count);
  static FftPoints given(std::vector<Complex> points);

  /// A power of two.
  std::uint64_t count() const { return count_; }
  Complex at(std::uint64_t index) const;
  std::vector<Complex> all() const;

 private:
  std::uint64_t seed_ = 0;
  std::uint64_t count_ = 0;
  std::vector<Complex> given_;  ///< empty: random
};

/// Reads the settings "points", "points_per_process" and "input" for 2^`dimensions` processes,
/// which get equal shares of at least one point.
FftPoints read_fft_points(const Params& params, const ProgramContext& context,
                          std::uint32_t dimensions);

std::vector<ParameterHelp> fft_points_help();

}  // namespace dcube
