#pragma once

#include <string>

#include "dcube/trace/critical_path.hpp"

namespace dcube::app {

/// A critical path line by line, each what a process does and the message that it then sends; of a
/// long one the beginning and the end. Processes from number `host` on are the host.
std::string chain_text(const CriticalPath& path, const Machine& machine, ProcessId host);

}  // namespace dcube::app
