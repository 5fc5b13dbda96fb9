#pragma once

#include <span>
#include <string>

#include "dcube/questions/map_reasons.hpp"
#include "dcube/questions/search.hpp"

namespace dcube::app {

/// Lines on pinned processes and on bytes that processes send to themselves.
std::string subject_words(const SearchProblem& problem);
/// "none, an optimum", "17.3 %".
std::string gap_words(const SearchAnswer& answer);
/// "also:  no map has less link-load (8 bytes on the busiest link)", where another objective is at
/// its bound, and a note where distances leave detours out: a line each.
std::string also_lines(const SearchAnswer& answer);
/// "annealing+scotch (123 maps tried, seed 0, 1.2 s; effort used)".
std::string found_words(const SearchAnswer& answer);

/// Lines on what was simulated: seeds of the jitter, brief programs.
std::string simulation_lines(const SearchAnswer& answer);

/// Reasons for people, beginning with "why".
std::string reasons_text(const MapReasons& reasons, std::span<const NodeId> map);

/// Summary for people.
std::string search_summary(const SearchAnswer& answer);

}  // namespace dcube::app
