#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dcube {

// The library names fields of requests, never options or arguments: ".failures" as the place of a
// complaint, "`.failures`" within its sentence. The caller turns them into the user's words:
// "--failures" on the command line, "failures" in Python.

/// Gives the user's word for a field; nothing for one that the user cannot fill.
using FieldNames = std::function<std::optional<std::string>(std::string_view field)>;

/// `complaint` with the user's words for fields.
std::string with_fields_named(std::string_view complaint, const FieldNames& name_of);

}  // namespace dcube
