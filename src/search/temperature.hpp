#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "dcube/core/random.hpp"

namespace dcube {

/// The choice of simulated annealing: a worse map is kept with probability exp(-increase /
/// temperature). Mathematical libraries round that function differently. So the increase is
/// compared with temperature times a draw from the exponential distribution: one of 4096 quantiles
/// in single precision, which are the same on every computer.
class Temperature {
 public:
  Temperature() {
    for (std::size_t i = 0; i < quantiles_.size(); ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(quantiles_.size());
      quantiles_[i] = static_cast<float>(-std::log(share));
    }
  }

  void set(double degrees) { degrees_ = degrees; }
  void cool(double factor) { degrees_ *= factor; }

  /// No increase from here on is accepted.
  double limit() const { return degrees_ * static_cast<double>(quantiles_.front()); }

  bool accepts(double increase, SplitMix64& random) const {
    return increase <= 0 ||
           increase < degrees_ * static_cast<double>(
                                     quantiles_[bounded(random.next(), quantiles_.size())]);
  }

 private:
  double degrees_ = 0;
  std::array<float, 4096> quantiles_{};
};

}  // namespace dcube
