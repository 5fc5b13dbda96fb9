#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// The settings of an embedding: a catalogue name, a JSON file holding an embedding object, or a
/// map file ("FORMAT:FILE", or a suffix that tells), which is not read yet. `hosts`, if given, says
/// what nodes are called in the map file. Files that the settings name are relative to the current
/// folder. Throws InputError.
Params load_embedding_settings(const std::string& name_or_file, const std::string& hosts = {});

/// Whether these are the settings that a name stands for: complaints are then about the name, for
/// what a name leaves unsaid has no place.
bool is_of_name(const Params& settings);

/// Override that puts such an embedding in place of the one in the file `scenario`. Throws
/// InputError.
Override embedding_override(const std::string& name_or_file, const std::string& hosts,
                            const std::filesystem::path& scenario);

/// Processes that such an embedding places when none are given: the shape that the settings name,
/// those of their map, or the largest cube with a node for every process. Throws InputError.
Guest usual_guest(const Params& settings, const Topology& topology);

/// An explicit embedding in a map file gets the map that is in it; others stay as they are. Files
/// that are read are added to `inputs`, if given; a node hosts up to `slots` processes. Throws
/// InputError that names the file, also when it does not place `processes` (if given).
Params read_embedding_file(const Params& settings, const Topology& topology,
                           std::optional<std::uint32_t> processes = std::nullopt,
                           std::vector<std::filesystem::path>* inputs = nullptr,
                           std::uint32_t slots = 1);

/// The settings of an explicit embedding with this map.
Params explicit_embedding(std::span<const NodeId> map);

}  // namespace dcube
