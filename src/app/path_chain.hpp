#pragma once

#include <string>

#include "dcube/trace/critical_path.hpp"

namespace dcube::app {

/// A critical path line by line, each what a process does and the message that it then sends; of a
/// long one the beginning and the end.
std::string chain_text(const CriticalPath& path, const Machine& machine);

}  // namespace dcube::app
