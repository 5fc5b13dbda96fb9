#pragma once

#include <filesystem>
#include <string>

#include "app/terminal/exit_status.hpp"
#include "dcube/core/interrupt.hpp"

namespace dcube::app {

/// Draws what a comparison left in `folder`, into that folder, with scripts/plot_folder.py. Where
/// that is impossible (no Python, no matplotlib), says so in one line, with the way out, and
/// returns unusable_input.
ExitStatus draw_pictures(const std::filesystem::path& folder, const InterruptWatch& interrupt);

/// Draws `picture` from what `data`, a text, says, with a script that reads it: "scripts/x.py".
/// Says in one line when that is impossible.
ExitStatus draw_picture(const std::string& script, const std::string& data,
                        const std::filesystem::path& picture, const InterruptWatch& interrupt);

}  // namespace dcube::app
