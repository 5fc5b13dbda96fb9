#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dcube/core/load_summary.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/scenario/drawing.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

// Results are JSON with some parts in common.

nlohmann::ordered_json ends_json(const std::vector<Link>& links);

/// The mean stands under the key `mean`.
nlohmann::ordered_json load_json(const LoadSummary& load, const char* mean);

/// Measures of embeddings; those shown are for many placements side by side.
Columns<EmbeddingMetrics> embedding_columns();
Columns<TrafficMetrics> traffic_columns();

/// Adds the key "map", unless the list is too long.
void add_map(nlohmann::ordered_json& json, const Embedding& embedding, ListOutput lists);

/// The result object of `dcube embed`. `compute` and `message_hop` are the costs of its "cc" part,
/// which is null when the guest is no cube; `node` and `sharing` are those of the machine.
/// `refuted` receives what take_refuted() says of bounds.
nlohmann::ordered_json embed_result(const Topology& topology, const Guest& guest,
                                    const Embedding& embedding, Ticks compute, Ticks message_hop,
                                    ListOutput lists, const NodeModel& node = {},
                                    LinkSharing sharing = LinkSharing::directed,
                                    std::string* refuted = nullptr);

/// The result object of `dcube embed --traffic`.
nlohmann::ordered_json traffic_result(const Machine& machine, const Traffic& traffic,
                                      const Embedding& embedding, ListOutput lists);

/// The part `critical_path` of a result; lists are cut after `most_entries` entries.
nlohmann::ordered_json explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                        std::size_t most_entries);

/// A network as results describe it, with its slots a node where there are several.
nlohmann::ordered_json network_result(const Topology& topology, std::uint32_t slots);

/// Pages and results show machines in this form: lengths in hundredths of a drawing's unit, and for
/// each piece of a link x and y from its beginning to its end. Lines of links take much room.
enum class LinkLines { left_out, included };
nlohmann::ordered_json drawing_json(const Drawing& drawing, LinkLines lines);

/// Lists of x and of y.
nlohmann::ordered_json points_json(const std::vector<Point>& points);

/// Figures of the links of each class, and of each way where they join levels ("up" leads to a
/// switch or a higher level): their number, how many are at 0, the mean, the most, the first link
/// that has it ("0->16"), and how many are in each of 24 equal ranges up to the most of all.
/// `values` is by link number of `run`; those below 0 do not count. Half-duplex links go both ways.
/// For `run` see draw_machine().
nlohmann::ordered_json loads_by_class(const Topology& machine, const Topology& run, Duplex duplex,
                                      const std::vector<double>& values);

/// Adds the key "drawing", unless pictures show the loads of links as maps: of hypercubes of more
/// than four dimensions, and machines of more than 256 nodes, or 2,000 where links have classes. It
/// has no lines where these could not be told apart. For `run` see draw_machine().
void add_drawing(nlohmann::ordered_json& json, const Topology& machine, const Topology& run,
                 Duplex duplex, std::span<const FailuresAt> failures);

}  // namespace dcube
