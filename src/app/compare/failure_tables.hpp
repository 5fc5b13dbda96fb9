#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dcube/questions/comparison.hpp"
#include "network_tables.hpp"

namespace dcube::app {

// What `compare --failures` shows.

/// A row for each embedding and number of failures.
std::string failure_table(const Comparison& comparison);

/// A line for each number: "2 failed links: xor < gray = standard", by the mean of the runs that
/// completed.
std::string failure_rankings(const Comparison& comparison);

/// What `value` gives of the embeddings on each number of failures, best first; under each network
/// where those are compared.
nlohmann::ordered_json by_failures(const Comparison& comparison, const OfEmbeddings& value);

nlohmann::ordered_json degradation_json(const Comparison& comparison,
                                        const Degradation& degradation);

}  // namespace dcube::app
