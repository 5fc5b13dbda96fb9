#include "json_text.hpp"

#include <fmt/format.h>

namespace dcube::app {

std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string json_number(std::optional<double> number) {
  return number ? fmt::format("{}", *number) : "null";
}

}  // namespace dcube::app
