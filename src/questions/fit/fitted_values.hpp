#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/questions/fit.hpp"
#include "least_squares.hpp"

namespace dcube {

/// A value that is varied. Costs are times, those of a bandwidth of a byte.
struct VariedValue {
  FittedValue value;
  std::string pointer;             ///< into a scenario
  bool is_of_byte = false;         ///< the cost is of a byte
  FitRange range{};                ///< of costs; its start is not set
  std::optional<double> before{};  ///< the cost that the machine has

  /// Text for a cost, in seconds, of so many digits.
  std::string text(double cost, int digits) const;
  /// The cost that a text says.
  double cost_of(const std::string& text) const;
};

/// Reads what is to be varied: "/link/latency=10ns:2us". `scenario` has the machine and, where it
/// has values of its own, a program. Throws InputError.
std::vector<VariedValue> read_varied(const std::vector<std::string>& vary, const Params& scenario);

}  // namespace dcube
