#include "dcube/runs/setting_places.hpp"

#include "core/json_writing.hpp"
#include "core/text.hpp"
#include "dcube/scenario/overrides.hpp"

namespace dcube {

const Setting* find_at(const Params& document, std::string_view pointer) {
  const Params* group = &document;
  const Setting* found = nullptr;
  for (const std::string& token : pointer_tokens(pointer)) {
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
