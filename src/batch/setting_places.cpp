#include "setting_places.hpp"

#include "core/text.hpp"
#include "scenario/json_writing.hpp"

namespace dcube {

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::string_view part : split_at(pointer.substr(1), '/')) {
    std::string token;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool is_escape = part[i] == '~' && i + 1 < part.size();
      token += is_escape ? (part[++i] == '1' ? '/' : '~') : part[i];
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

const Setting* find_at(const Params& document, std::string_view pointer) {
  const Params* group = &document;
  const Setting* found = nullptr;
  for (const std::string& token : tokens_of(pointer)) {
    if (found != nullptr && found->list() != nullptr) {
      const auto index = parsed<std::size_t>(token);
      if (!index || *index >= found->list()->size()) {
        return nullptr;
      }
      found = &(*found->list())[*index];
    } else {
      group = found == nullptr ? group : found->group();
      found = group == nullptr ? nullptr : group->find(token);
    }
    if (found == nullptr) {
      return nullptr;
    }
  }
  return found;
}

bool is_below(std::string_view pointer, std::string_view other) {
  return pointer.size() > other.size() && pointer.starts_with(other) &&
         pointer[other.size()] == '/';
}

std::string plain_text(const Setting& value) {
  return value.text() != nullptr     ? *value.text()
         : value.number() != nullptr ? value.number()->text
                                     : json_text(value);
}

}  // namespace dcube
