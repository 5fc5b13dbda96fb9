#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dcube/interop/map_files.hpp"

namespace dcube::hostfile {

/// Text with a line for every rank, its host.
std::string hosts_of_ranks(const MapExport& content);

/// Reads lines with a host and, unless it is 1, the number of consecutive ranks on it.
std::vector<NodeId> read(std::string_view text, const MapImport& import);

}  // namespace dcube::hostfile
