#pragma once

#include <string>
#include <string_view>

#include "dcube/core/params.hpp"

namespace dcube {

// Settings that JSON pointers into a scenario name.

/// The setting that a pointer leads to; null: none. Throws as pointer_tokens() does.
const Setting* find_at(const Params& document, std::string_view pointer);

/// Whether a pointer leads into what the other leads to.
bool is_below(std::string_view pointer, std::string_view other);

/// A value as users write it: a text without quotes.
std::string plain_text(const Setting& value);

}  // namespace dcube
