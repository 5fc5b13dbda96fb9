#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dcube/questions/comparison.hpp"

namespace dcube::app {

// Several runs of each embedding: under networks, and on draws of failed links.

/// JSON of a list of embeddings, which is in their order.
using OfEmbeddings = std::function<nlohmann::ordered_json(const std::vector<std::string>&)>;

/// A row for each embedding and number of failures.
std::string failure_table(const Comparison& comparison);
/// A list with an object for each of these rows.
nlohmann::ordered_json degradation_json(const Comparison& comparison);

/// A line for each network and number: "fluid, 2 failed links: xor < gray = standard", by the mean
/// of the runs that completed.
std::string rankings(const Comparison& comparison);
/// JSON of `value` of the embeddings, best first, under each network and on each number.
nlohmann::ordered_json rankings_json(const Comparison& comparison, const OfEmbeddings& value);

}  // namespace dcube::app
