#pragma once

#include <fmt/format.h>

#include <string>

#include "dcube/trace/trace.hpp"
#include "record.hpp"

namespace dcube::detail {

/// "8x8".
std::string shape_text(const TraceDescription& description);

/// How results name the link of a hop: "2->3", half duplex "2-3". See link_name().
std::string hop_link_name(const TraceRecord& hop, Duplex duplex);
void append_link_name(fmt::memory_buffer& text, const TraceRecord& hop, Duplex duplex);

}  // namespace dcube::detail
