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
  std::string_view ending = count == 1 ? "" : "s";
  if (count != 1 && (noun.ends_with('s') || noun.ends_with("ch"))) {
    ending = "es";
  } else if (count != 1 && noun.ends_with('y')) {
    noun.remove_suffix(1);
    ending = "ies";
  }
  return fmt::format("{} {}{}", grouped(count), noun, ending);
}

}  // namespace dcube
