#pragma once

#include <filesystem>
#include <string>

namespace dcube {

/// The file that is called `name` in a file that stands in `folder`, in the shortest form.
std::filesystem::path path_in(const std::filesystem::path& folder,
                              const std::filesystem::path& name);

/// What `file` is called in a file that stands in `folder`; an absolute name stays.
std::string name_in(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace dcube
