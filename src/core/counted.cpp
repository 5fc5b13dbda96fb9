#include "counted.hpp"

#include <fmt/format.h>

namespace dcube {

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t end = text.size(); end > 3; end -= 3) {
    text.insert(end - 3, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  const bool hisses = noun.ends_with('s') || noun.ends_with("ch");
  const char* const ending = count == 1 ? "" : hisses ? "es" : "s";
  return fmt::format("{} {}{}", grouped(count), noun, ending);
}

}  // namespace dcube
