#include "fields.hpp"

#include <algorithm>

namespace dcube {
namespace {

constexpr std::string_view field_letters = "abcdefghijklmnopqrstuvwxyz_";

/// The name that begins `text`, which follows a dot.
std::string_view leading_name(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(field_letters), text.size()));
}

}  // namespace

std::string with_fields_named(std::string_view complaint, const FieldNames& name_of) {
  std::string text;
  std::string_view rest = complaint;
  if (rest.starts_with('.')) {
    const std::string_view field = leading_name(rest.substr(1));
    const std::string_view after = rest.substr(1 + field.size());
    const auto name = after.empty() || after.starts_with(':') || after.starts_with(' ')
                          ? name_of(field)
                          : std::nullopt;
    if (name) {
      text = *name;
      rest = after;
    }
  }
  for (std::size_t mark = rest.find("`."); mark != rest.npos; mark = rest.find("`.")) {
    const std::string_view field = leading_name(rest.substr(mark + 2));
    const std::string_view after = rest.substr(mark + 2 + field.size());
    const auto name = after.starts_with('`') ? name_of(field) : std::nullopt;
    text += rest.substr(0, mark);
    text += name ? *name : std::string{rest.substr(mark, 2 + field.size())};
    rest = name ? after.substr(1) : after;
  }
  return text + std::string{rest};
}

}  // namespace dcube
