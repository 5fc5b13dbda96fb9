#pragma once

#include <optional>
#include <span>

namespace dcube {

/// Pearson's coefficient of two series of one length; nothing when one of them does not vary.
std::optional<double> pearson(std::span<const double> x, std::span<const double> y);
/// Spearman's coefficient: Pearson's of the ranks. Equal values share their mean rank.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

}  // namespace dcube
