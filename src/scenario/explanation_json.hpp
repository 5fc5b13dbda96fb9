#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// The part `critical_path` of a result; lists are cut after `most_listed` entries.
nlohmann::ordered_json explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                        std::size_t most_listed);

}  // namespace dcube
