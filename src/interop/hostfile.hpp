#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dcube/interop/map_files.hpp"

namespace dcube::hostfile {

/// The host of every rank, a line each.
std::string hosts_of_ranks(const MapExport& content);

/// A line names a host and, if it is not one, how many ranks in a row it gets.
std::vector<NodeId> read(std::string_view text, const MapImport& import);

}  // namespace dcube::hostfile
