#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dcube/core/load_summary.hpp"
#include "dcube/scenario/result_json.hpp"
#include "drawing_json.hpp"

namespace dcube {

// Results are JSON with some parts in common.

/// The ends of each link.
nlohmann::ordered_json ends_json(const std::vector<Link>& links);

/// The mean stands under the key `mean`.
nlohmann::ordered_json load_json(const LoadSummary& load, const char* mean);

/// Adds the key "map", unless the list is too long.
void add_map(nlohmann::ordered_json& json, const Embedding& embedding, ListOutput lists);

/// What embed_result_json() writes.
nlohmann::ordered_json embed_result(const Topology& topology, const Guest& guest,
                                    const Embedding& embedding, Ticks compute, Ticks message_hop,
                                    ListOutput lists, const NodeModel& node = {},
                                    LinkSharing sharing = LinkSharing::directed,
                                    std::string* refuted = nullptr);

/// What traffic_result_json() writes.
nlohmann::ordered_json traffic_result(const Machine& machine, const Traffic& traffic,
                                      const Embedding& embedding, ListOutput lists);

/// A network as results describe it, with its slots a node where there are several.
nlohmann::ordered_json network_result(const Topology& topology, std::uint32_t slots);

}  // namespace dcube
