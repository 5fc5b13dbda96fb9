#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube {

/// Numbers become 64-bit integers or doubles.
void to_json(nlohmann::ordered_json& json, const Setting& setting);
void to_json(nlohmann::ordered_json& json, const Params& group);

/// The part `critical_path` of a result; lists are cut after `most_entries` entries.
nlohmann::ordered_json explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                        std::size_t most_entries);

/// The setting as JSON on one line. Invalid UTF-8 becomes U+FFFD.
std::string json_text(const Setting& setting);

}  // namespace dcube
