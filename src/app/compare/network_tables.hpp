#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dcube/questions/comparison.hpp"

namespace dcube::app {

// What `compare --network` shows besides the rows.

/// What is written of embeddings in an order.
using OfEmbeddings = std::function<nlohmann::ordered_json(const std::vector<std::string>&)>;

/// All networks that are compared; an empty name stands for the scenario's own.
std::vector<std::string> networks_of(const Comparison& comparison);

/// A line for each network: "fluid: by_weight < xor = gray < standard".
std::string network_rankings(const Comparison& comparison);

/// What `value` gives of the rows under each network that completed, fastest first.
nlohmann::ordered_json by_network(const Comparison& comparison, const OfEmbeddings& value);

}  // namespace dcube::app
