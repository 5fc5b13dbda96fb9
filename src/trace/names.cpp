#include "names.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace dcube::detail {

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
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
