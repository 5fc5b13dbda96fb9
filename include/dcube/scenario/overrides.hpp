#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// The keys and indices of a JSON pointer (RFC 6901) such as "/a/b/0". Throws InputError without a
/// place for a text that is no pointer, or one deeper than files may be nested.
std::vector<std::string> pointer_tokens(std::string_view pointer);

/// The value that the override puts into the document.
Setting value_of(const Override& change, const Params& document);

/// The values by their pointers, as results have them.
Params values_by_pointer(const std::vector<Override>& changes);

/// The document with the value at the pointer (RFC 6901) replaced. Missing keys are created, "-"
/// appends to a list; anything else that is missing is an InputError (place ".set").
Params with_value(const Params& document, const std::string& pointer, Setting value);

}  // namespace dcube
