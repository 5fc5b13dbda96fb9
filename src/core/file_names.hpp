#pragma once

#include <filesystem>
#include <string>

namespace dcube {

/// What commands call `-`.
inline constexpr const char* standard_input = "/dev/stdin";

/// The file that a file in `folder` calls `name`, in the shortest form.
std::filesystem::path path_in(const std::filesystem::path& folder,
                              const std::filesystem::path& name);

/// The name of `file` in a file in `folder`; an absolute name stays.
std::string name_in(const std::filesystem::path& folder, const std::filesystem::path& file);

/// What messages and results call `file`. What standard input names is relative to the current
/// folder, in which a file of that name would be.
std::filesystem::path known_as(const std::filesystem::path& file);

}  // namespace dcube
