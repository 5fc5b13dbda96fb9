#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "dcube/questions/search.hpp"

namespace dcube {

/// search_json() before it is a text.
nlohmann::ordered_json search_result(const SearchAnswer& answer);

nlohmann::ordered_json reasons_json(const MapReasons& reasons, std::span<const NodeId> map);

}  // namespace dcube
