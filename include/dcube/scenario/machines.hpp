#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// A machine: a name in platforms/, a file, or a bare network such as "torus:8x8" (its kind and the
/// one parameter that it requires), on which a hop takes `network_hop` whatever the message's size.
/// Throws InputError.
std::shared_ptr<const Machine> load_machine(const std::string& name_or_file,
                                            Ticks network_hop = std::chrono::seconds{1});

/// Folders in which dcube keeps platforms/, scripts/ and the like, most specific first:
/// $DCUBE_DATA, where it was installed, its source tree. Some may not exist.
std::vector<std::filesystem::path> data_folders();

/// Names of the machines in platforms/, sorted, with their one-line description of the network.
std::vector<std::pair<std::string, std::string>> list_machines();

}  // namespace dcube
