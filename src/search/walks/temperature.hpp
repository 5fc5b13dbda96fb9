#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

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
    SplitMix64 random{hash_of(0x7468726573686fU)};
    constexpr std::size_t step = 4;
    for (std::size_t i = 0; i < shuffled_.size(); ++i) {
      const auto place = static_cast<std::size_t>(bounded(random.next(), i + 1));
      shuffled_[i] = shuffled_[place];
      shuffled_[place] = quantiles_[i * step + step / 2];
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

  /// Whole numbers that an increase in units of `unit` must stay below, for 1024 quantiles in an
  /// order that is always the same. The first `more` of them follow the last once more.
  template <class Number>
  std::vector<Number> thresholds(std::size_t more, double unit) const {
    constexpr auto most = static_cast<double>(std::numeric_limits<Number>::max() / 2);
    const double degrees = degrees_ / unit;
    std::vector<Number> drawn(shuffled_.size() + more);
    for (std::size_t i = 0; i < shuffled_.size(); ++i) {
      const double below = std::min(degrees * static_cast<double>(shuffled_[i]), most);
      drawn[i] = static_cast<Number>(static_cast<Number>(below) + 1);
    }
    for (std::size_t i = 0; i < more; ++i) {
      drawn[shuffled_.size() + i] = drawn[i];
    }
    return drawn;
  }

 private:
  double degrees_ = 0;
  std::array<float, 4096> quantiles_{};
  std::array<float, 1024> shuffled_{};  ///< every fourth of them
};

}  // namespace dcube
