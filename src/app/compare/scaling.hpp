#pragma once

#include <optional>
#include <string>

#include "comparison.hpp"

namespace dcube::app {

// A comparison of numbers of processes: speedup t_0 / t_k, efficiency speedup / k [N 4]. Every row
// has its number; t_0 is what the program says of one process, or else the run of one process under
// the same embedding.

struct Speedup {
  double speedup = 0;
  double efficiency = 0;
};
/// Nothing for a row that did not complete, took no time or has nothing to be compared with.
std::optional<Speedup> speedup_of(const Comparison& comparison, const ComparisonRow& row);

/// The row with the shortest time, with the fewest processes among equals; null when none
/// completed.
const ComparisonRow* shortest(const Comparison& comparison);

/// For people: a title, the table and a sentence that says which number takes the shortest time.
std::string scaling_table(const Comparison& comparison);
std::string scaling_json(const Comparison& comparison);
std::string scaling_csv(const Comparison& comparison);

}  // namespace dcube::app
