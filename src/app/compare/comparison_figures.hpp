#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "dcube/questions/comparison.hpp"

namespace dcube::app {

// One list of figures says what a row holds. The text table, the CSV and the JSON are all written
// from it.

/// How a text table shows a figure.
enum class Shown { nowhere, time, hundredths, thousandths, share, count };

struct Figure {
  const char* key;  ///< in JSON and CSV
  nlohmann::ordered_json value;
  Shown shown = Shown::nowhere;
  const char* header = "";  ///< in a text table
};

/// What each row has, in order. The values of a row that did not end by itself mean nothing.
std::vector<Figure> figures_of(const Comparison& comparison, const ComparisonRow& row);

}  // namespace dcube::app
