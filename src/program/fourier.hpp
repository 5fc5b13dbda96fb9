#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace dcube {

// Pieces of a radix-2 fast Fourier transform X(k) = sum_n x(n) exp(-2 pi i n k / N). A butterfly of
// half span h joins the values at indices that differ in the bit of h; j is their index modulo h.

using Complex = std::complex<double>;

/// Frequency: input in natural order, half spans N/2 .. 1, (a, b) to (a + b, (a - b) w), spectrum
/// in bit-reversed order. Time: input in bit-reversed order, half spans 1 .. N/2, (a, b) to (a + w
/// b, a - w b), spectrum in natural order. w = exp(-pi i j / h).
enum class Decimation { frequency, time };

/// `index` with its lowest `bits` bits in reverse order, the others 0.
std::uint64_t bit_reversed(std::uint64_t index, std::uint32_t bits);

/// All butterflies of half span 2^k, in values that begin at a multiple of 2^(k+1).
void butterflies(std::span<Complex> values, std::uint64_t half_span, Decimation decimation);

/// Butterflies with partners in another process: `values` are those at `first`, `first` + 1, .. of
/// the whole, `theirs` their partners half a span away. Replaces `values` by their outputs.
void own_outputs(std::span<Complex> values, std::span<const Complex> theirs, std::uint64_t first,
                 std::uint64_t half_span, Decimation decimation);

/// Comparison of a spectrum with that of KissFFT for the same points.
struct SpectrumCheck {
  double max_error = 0;        ///< greatest distance between two values
  double error_bound = 0;      ///< bound for rounding errors
  std::uint64_t peak_bin = 0;  ///< lowest index of greatest magnitude, rounding aside

  bool is_right() const { return max_error <= error_bound; }
};
/// Both are in natural order and have equally many values, a power of two.
SpectrumCheck check_spectrum(const std::vector<Complex>& points,
                             const std::vector<Complex>& spectrum);

/// 20 eps log2(N) sqrt(N) |x|, and never below the least normal number. In the Euclidean norm a
/// radix-2 transform errs by at most about log2(N) eta |X|, where eta is the rounding of one
/// butterfly with its factor (Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2)
/// and |X| = sqrt(N) |x|. eta is below 7 eps here and below 10 eps in KissFFT. A single value errs
/// by at most that.
double spectrum_error_bound(std::span<const Complex> points);

/// sqrt(sum |x|^2); infinite past double precision.
double euclidean_norm(std::span<const Complex> points);

}  // namespace dcube
