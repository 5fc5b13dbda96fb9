#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dcube/scenario/result_json.hpp"

namespace dcube {

/// What embed_result_json() writes.
nlohmann::ordered_json embed_result(const Topology& topology, const Guest& guest,
                                    const Embedding& embedding, Ticks compute, Ticks message_hop,
                                    ListOutput lists, const NodeModel& node = {});

/// What traffic_result_json() writes.
nlohmann::ordered_json traffic_result(const Machine& machine, const Traffic& traffic,
                                      const Embedding& embedding, ListOutput lists);

/// A network as results describe it, with its slots a node where there are several.
nlohmann::ordered_json network_result(const Topology& topology, std::uint32_t slots);

}  // namespace dcube
