#pragma once

#include <string>
#include <vector>

#include "dcube/questions/place.hpp"

namespace dcube::app {

/// Summary for people. `files`: those that are written.
std::string place_summary(const PlaceAnswer& answer, const std::vector<std::string>& files);

}  // namespace dcube::app
