#pragma once

#include <span>
#include <string>

#include "dcube/questions/map_reasons.hpp"

namespace dcube::app {

/// Reasons for people, beginning with "why".
std::string reasons_text(const MapReasons& reasons, std::span<const NodeId> map);

}  // namespace dcube::app
