#pragma once

#include <string>
#include <vector>

#include "dcube/questions/reproduce.hpp"

namespace dcube::app {

/// The simulated figure with one digit more than the reference has.
std::string figure_text(const Experiment& experiment, const PointResult& result);

/// Says of every experiment that did not pass, and of every point without a figure, why: a line
/// each.
std::vector<std::string> complaints(const Reproduction& reproduction);

// Reports for people, for a page and for programs.
std::string reproduction_text(const Reproduction& reproduction);
/// Markdown. `command` writes it.
std::string reproduction_page(const Reproduction& reproduction, const std::string& command);
std::string reproduction_json(const Reproduction& reproduction);

}  // namespace dcube::app
