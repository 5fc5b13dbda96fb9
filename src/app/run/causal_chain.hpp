#pragma once

#include <string>

#include "explanation_writer.hpp"

namespace dcube::app {

/// The critical path as a table, a line for what one process does up to and with a message that it
/// sends; of a long path the beginning and the end.
std::string chain_text(const Writer& writer);

}  // namespace dcube::app
