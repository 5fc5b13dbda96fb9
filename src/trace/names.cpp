#include "names.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace dcube::detail {

std::string shape_text(const TraceDescription& description) {
  return fmt::format("{}", fmt::join(description.shape, "x"));
}

std::string hop_link_name(const TraceRecord& hop, Duplex duplex) {
  fmt::memory_buffer text;
  append_link_name(text, hop, duplex);
  return fmt::to_string(text);
}

void append_link_name(fmt::memory_buffer& text, const TraceRecord& hop, Duplex duplex) {
  const auto [first, second] = hop.link_ends();
  fmt::format_to(fmt::appender(text), FMT_COMPILE("{}{}{}"), first.index(),
                 duplex == Duplex::half ? "-" : "->", second.index());
}

}  // namespace dcube::detail
