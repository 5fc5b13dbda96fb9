#include "names.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace dcube::detail {

const char* name_of(Activity activity) {
  switch (activity) {
    case Activity::compute:
      return "compute";
    case Activity::communication:
      return "communication";
    case Activity::waiting:
      return "waiting";
    case Activity::endpoint:
      return "endpoint";
    case Activity::idle:
      break;
  }
  return "idle";
}

std::string shape_text(const TraceDescription& description) {
  return fmt::format("{}", fmt::join(description.shape, "x"));
}

std::string hop_link_name(const TraceRecord& hop, Duplex duplex) {
  fmt::memory_buffer text;
  append_link_name(text, hop, duplex);
  return fmt::to_string(text);
}

void append_link_name(fmt::memory_buffer& text, const TraceRecord& hop, Duplex duplex) {
  const NodeId first = hop.is_named_backwards ? hop.to() : hop.from();
  const NodeId second = hop.is_named_backwards ? hop.from() : hop.to();
  fmt::format_to(fmt::appender(text), FMT_COMPILE("{}{}{}"), first.index(),
                 duplex == Duplex::half ? "-" : "->", second.index());
}

}  // namespace dcube::detail
