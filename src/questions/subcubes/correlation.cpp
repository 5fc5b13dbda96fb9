#include "correlation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

double mean(std::span<const double> values) {
  return sum_of(values) / static_cast<double>(values.size());
}

std::vector<double> ranks(std::span<const double> values) {
  auto order = numbered<std::size_t>(values.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
      ++last;
    }
    for (std::size_t i = first; i <= last; ++i) {
      ranks[order[i]] = static_cast<double>(first + last) / 2;
    }
    first = last + 1;
  }
  return ranks;
}

}  // namespace

std::optional<double> pearson(std::span<const double> x, std::span<const double> y) {
  expects(x.size() == y.size(), "series of one length are correlated");
  if (x.empty()) {
    return std::nullopt;
  }
  const double x_mean = mean(x);
  const double y_mean = mean(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  if (xx == 0 || yy == 0) {
    return std::nullopt;
  }
  return xy / std::sqrt(xx) / std::sqrt(yy);
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  return pearson(ranks(x), ranks(y));
}

}  // namespace dcube
