#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"

namespace dcube {

// What JSON pointers into a scenario name.

/// The keys and indices of a pointer, or nothing.
std::vector<std::string> tokens_of(std::string_view pointer);

/// What a pointer leads to; null: nothing.
const Setting* find_at(const Params& document, std::string_view pointer);

/// Whether a pointer leads into what the other leads to.
bool is_below(std::string_view pointer, std::string_view other);

/// A value as users write it: a text without quotes.
std::string plain_text(const Setting& value);

}  // namespace dcube
