#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/report/page.hpp"
#include "dcube/scenario/scenario.hpp"
#include "scenario/embed_result.hpp"

namespace dcube::report {

/// Machines with more nodes are not drawn.
inline constexpr std::uint32_t most_drawn_nodes = 65536;
/// Machines with more nodes are drawn as tiles.
inline constexpr std::uint32_t most_single_nodes = 4096;

/// The experiment of a result, from the document that the result holds. The files that the document
/// names are looked for in the result's folder. Throws InputError when the document is left out or
/// can no longer be read.
Scenario scenario_of(const ReportedRun& run);

/// The machine of a result on paper.
struct MachineView {
  std::optional<Drawing> drawing;  ///< nothing when it has too many nodes
  std::string problem;             ///< why there is no drawing, or no host computer in it
};
MachineView view_machine(const ReportedRun& run);

/// Whether a picture without messages shows the lines of single links.
bool shows_single_links(const Drawing& drawing);

/// JSON for the page (see page/machine.js): nodes and links, or tiles when the nodes are too many.
nlohmann::ordered_json machine_json(const Drawing& drawing, LinkLines lines);

/// JSON for the page: the node of every process and the load of every link and node, as far as the
/// result lists them, or sums by tile. `link_bytes` is LinkBytes::json(), or null.
nlohmann::ordered_json loads_json(const Params& result, const Drawing& drawing,
                                  const nlohmann::ordered_json& link_bytes);

}  // namespace dcube::report
