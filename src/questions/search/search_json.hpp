#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "dcube/questions/search.hpp"

namespace dcube {

/// search_json() before it is a text.
nlohmann::ordered_json search_result(const SearchAnswer& answer);

/// SearchAnswer::gap() of a cost and its bound.
std::optional<double> gap_of(std::uint64_t cost, std::uint64_t bound);

nlohmann::ordered_json reasons_json(const MapReasons& reasons, std::span<const NodeId> map);

}  // namespace dcube
