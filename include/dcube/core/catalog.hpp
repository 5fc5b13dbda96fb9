#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"

namespace dcube {

/// The entries' names, in the catalogue's order.
template <class Kind>
std::vector<std::string> names_of(std::span<const Kind* const> catalog) {
  std::vector<std::string> names;
  for (const Kind* kind : catalog) {
    names.push_back(kind->name);
  }
  return names;
}

/// The entry called `name`; null when there is none.
template <class Kind>
const Kind* find_kind(std::span<const Kind* const> catalog, std::string_view name) {
  for (const Kind* kind : catalog) {
    if (kind->name == name) {
      return kind;
    }
  }
  return nullptr;
}

/// The entry that the key "kind" of `settings` names. Throws InputError ("`toru` is not a topology;
/// did you mean ..") when there is none. `noun`: "a topology".
template <class Kind>
const Kind& required_kind(std::span<const Kind* const> catalog, const Params& settings,
                          std::string_view noun) {
  const std::string name = settings.text("kind");
  if (const Kind* kind = find_kind(catalog, name)) {
    return *kind;
  }
  settings.reject_value("kind", std::string{noun} + nearest_name_hint(name, names_of(catalog)));
}

/// Throws InputError for a key that is neither a parameter of the entry nor in `common`.
template <class Kind>
void check_keys(const Kind& kind, const Params& settings, std::vector<std::string> common) {
  for (const ParameterHelp& parameter : kind.parameters) {
    common.push_back(parameter.name);
  }
  settings.allow_only(common);
}

}  // namespace dcube
