#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/report/page.hpp"
#include "dcube/scenario/scenario.hpp"
#include "scenario/embed_result.hpp"

namespace dcube::report {

/// Limit of nodes for a drawing.
inline constexpr std::uint32_t most_drawn_nodes = 65536;
/// Limit of nodes that are drawn singly, not as tiles.
inline constexpr std::uint32_t most_single_nodes = 4096;

/// Scenario of a result, from the document in it, whose files are looked for in the result's
/// folder. Throws InputError when the document is left out or can no longer be read.
Scenario scenario_of(const ReportedRun& run);

struct MachineView {
  std::optional<Drawing> drawing;  ///< nothing when there are too many nodes
  std::string problem;             ///< reason why the drawing or its host computer is missing
};
MachineView view_machine(const ReportedRun& run);

/// JSON for the page (see page/machine.js): nodes and links, or tiles when the nodes are too many.
nlohmann::ordered_json machine_json(const Drawing& drawing, LinkLines lines);

/// JSON for the page: the node of every process and the load of every link and node, as far as the
/// result lists them, or figures by tile. `link_bytes` is LinkBytes::json(), or null.
nlohmann::ordered_json loads_json(const Params& result, const Drawing& drawing,
                                  const nlohmann::ordered_json& link_bytes);

}  // namespace dcube::report
