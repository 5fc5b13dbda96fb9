#pragma once

#include <string>

#include "dcube/questions/collective.hpp"

namespace dcube::app {

/// Text for people: the fastest at each size, crossovers, and one line that says it all; with
/// `ShownRows::all`, also everything that was simulated.
enum class ShownRows { best, all };
std::string collective_text(const CollectiveAnswer& answer, ShownRows rows);

}  // namespace dcube::app
