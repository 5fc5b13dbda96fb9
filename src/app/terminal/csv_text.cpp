#include "csv_text.hpp"

#include <fmt/format.h>

namespace dcube::app {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string{c};
  }
  return quoted + '"';
}

std::string csv_number(std::optional<double> number) {
  return number ? fmt::format("{}", *number) : "";
}

}  // namespace dcube::app
