#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "app/terminal/exit_status.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/questions/place.hpp"
#include "dcube/questions/search.hpp"

namespace dcube::app {

/// Kinds of files that `dcube search` and `dcube place` can write: maps, embeddings, results and
/// pictures.
std::vector<OutputKind> search_output_kinds();

/// Tells the plan the files to write. A folder as the main file stands for the embedding, the
/// result and the pictures in it. Throws InputError.
std::vector<NamedOutput> plan_outputs(const OutputOptions& options, OutputPlan& plan);

/// Puts the map in the format of `output`; for kinds of map_format_catalog().
std::string map_text(const NamedOutput& output, const SearchAnswer& answer);

/// The page of a search: the map, the links under it and under the map before, the gap over time.
std::string search_page(const SearchAnswer& answer, const EarlierMap& before);

/// Refuses a picture whose suffix says no format: .png, .svg, .pdf.
void check_picture(const NamedOutput& output);

/// Refuses a picture of links on a machine whose messages draw or choose their ways.
void check_links(std::span<const NamedOutput> outputs, const Machine& machine);

/// Draws those of the outputs that are pictures. A complaint says why one could not be drawn.
ExitStatus draw_search_pictures(std::span<const NamedOutput> outputs, const SearchAnswer& answer,
                                const InterruptWatch& interrupt);

/// Draws the bytes over every link.
ExitStatus draw_links(const NamedOutput& output, const SearchProblem& problem,
                      std::span<const NodeId> map, const LinkPicture& names,
                      const InterruptWatch& interrupt);

}  // namespace dcube::app
