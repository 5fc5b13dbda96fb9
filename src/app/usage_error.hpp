#pragma once

#include <CLI/CLI.hpp>

#include "dcube/core/errors.hpp"

namespace dcube::app {

/// What is wrong with a command line that `app` failed to parse, in the words of this program:
/// names the word that is unknown and the nearest one that is known.
InputError usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace dcube::app
