#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "dcube/scenario/run.hpp"

namespace dcube {

/// The part `critical_path` of a result; lists are cut after `most_entries` entries.
nlohmann::ordered_json explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                        std::size_t most_entries);

}  // namespace dcube
