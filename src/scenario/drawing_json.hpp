#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "dcube/scenario/drawing.hpp"

namespace dcube::report {

/// Pages and results show machines in this form: lengths in hundredths of a drawing's unit, and for
/// each link four for each of its pieces, x and y from the beginning to the end. Lines of links
/// take much room.
enum class LinkLines { left_out, included };
nlohmann::ordered_json drawing_json(const Drawing& drawing, LinkLines lines);

/// Lists of x and of y.
nlohmann::ordered_json points_json(const std::vector<Point>& points);

/// Machines with more nodes have no drawing in results: pictures show their loads as maps.
inline constexpr std::uint32_t most_nodes_with_links = 256;

/// Adds the key "drawing" for a machine of so few nodes. `run` is the machine that runs, as for
/// draw_machine().
void add_drawing(nlohmann::ordered_json& json, const Topology& machine, const Topology& run,
                 Duplex duplex, std::span<const FailuresAt> failures);

}  // namespace dcube::report
