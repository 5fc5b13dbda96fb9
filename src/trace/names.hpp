#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/trace/trace.hpp"
#include "record.hpp"

namespace dcube::detail {

/// The number that the whole of a text is.
template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number}
                                                                  : std::nullopt;
}

std::vector<std::string_view> split_at(std::string_view text, char separator);

/// "8x8".
std::string shape_text(const TraceDescription& description);

/// How results name the link of a hop: "2->3", half duplex "2-3". See link_name().
std::string hop_link_name(const TraceRecord& hop, Duplex duplex);
void append_link_name(fmt::memory_buffer& text, const TraceRecord& hop, Duplex duplex);

}  // namespace dcube::detail
