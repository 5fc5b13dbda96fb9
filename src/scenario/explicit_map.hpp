#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// An explicit embedding whose `file` names a map gets the `map` that is in it, and keeps neither
/// `file` nor how to read it; other embeddings stay as they are. `file` and `hosts` are relative to
/// `folder`; what is read is added to `inputs`. Throws InputError that names the file, also when it
/// does not place `processes` (if given).
Params with_map_of_file(const Params& settings, const Topology& topology,
                        std::optional<std::uint32_t> processes, const std::filesystem::path& folder,
                        std::vector<std::filesystem::path>& inputs);

}  // namespace dcube
