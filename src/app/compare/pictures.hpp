#pragma once

#include <filesystem>
#include <string>

#include "dcube/core/interrupt.hpp"

namespace dcube::app {

enum class PicturesEnd { done, unavailable, interrupted };

/// Draws what a comparison left in `folder`, into that folder, with scripts/plot_folder.py. Where
/// that is impossible (no Python, no matplotlib), says so in one line, with the way out.
PicturesEnd draw_pictures(const std::filesystem::path& folder, const InterruptWatch& interrupt);

/// Draws `picture` from what `data`, a text, says, with a script that reads it: "scripts/x.py".
/// Says in one line when that is impossible.
PicturesEnd draw_picture(const std::string& script, const std::string& data,
                         const std::filesystem::path& picture, const InterruptWatch& interrupt);

}  // namespace dcube::app
