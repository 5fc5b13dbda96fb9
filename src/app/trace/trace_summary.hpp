#pragma once

#include <string>

#include "dcube/trace/trace_file.hpp"

namespace dcube::app {

/// What a trace tells, for people; `name`: of its file.
std::string trace_summary(const std::string& name, const TraceSummary& summary);

/// Process by process: where its time went, and its messages.
std::string process_times(const TraceSummary& summary);

}  // namespace dcube::app
