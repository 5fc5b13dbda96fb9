#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dcube {

// The library names fields of requests, never options or arguments: ".failures" as the place of a
// complaint, "`.failures`" within its sentence. Who fills the request says what the user has
// written: the command line "--failures", Python "failures".

/// Gives the name of a field in the user's words; nothing where the user cannot fill it.
using FieldNames = std::function<std::optional<std::string>(std::string_view field)>;

/// `complaint` with the user's words for fields. What is no field stays as it is.
std::string with_fields_named(std::string_view complaint, const FieldNames& name_of);

}  // namespace dcube
