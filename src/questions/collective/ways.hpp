#pragma once

#include <string>
#include <vector>

#include "dcube/questions/collective.hpp"

namespace dcube {

/// The collective of this name, with or without underscores: "alltoall". Throws InputError.
CollectiveKind collective_called(const std::string& name);

/// Reads the machine of the request, with its settings. Throws InputError.
void read_subject(CollectiveAnswer& answer);

/// Whether "all" is among the names.
bool wants_all(const std::vector<std::string>& names);

/// All ways that are asked for, network by network. Of "all" embeddings, those that give the same
/// map as one before are left out. Adds the files that are read. Throws InputError.
std::vector<CollectiveWay> collective_ways(CollectiveAnswer& answer);

}  // namespace dcube
