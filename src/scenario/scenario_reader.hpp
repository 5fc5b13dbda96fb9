#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"

namespace dcube {

/// Puts a machine that a scenario only names in its place when `pointer` leads into it; `folder` is
/// the scenario's, if it stands in a file. A file that is read is added to `inputs`. Throws
/// InputError.
void make_reachable(Params& document, std::string_view pointer,
                    const std::optional<std::filesystem::path>& folder,
                    std::vector<std::filesystem::path>& inputs);

/// The settings of the embedding of that name. Throws InputError at `place`.
Params named_embedding(const std::string& name, std::string_view place);

}  // namespace dcube
