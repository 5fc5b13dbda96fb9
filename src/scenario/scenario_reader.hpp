#pragma once

#include <filesystem>
#include <string_view>

#include "dcube/core/params.hpp"

namespace dcube {

/// Puts a machine that a scenario only names in its place when `pointer` leads into it; `folder` is
/// the scenario's. Throws InputError.
void make_reachable(Params& document, std::string_view pointer,
                    const std::filesystem::path& folder);

}  // namespace dcube
