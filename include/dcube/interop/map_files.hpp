#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/interop/host_names.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Contents of a file for other tools: a map, its machine and its processes.
struct MapExport {
  const Machine& machine;
  std::span<const NodeId> map;  ///< node of each process; no node hosts more than its slots
  const HostNames& hosts;
  std::function<Traffic()> traffic;  ///< called by formats that hold traffic
};

/// Context in which a map is read.
struct MapImport {
  std::string file;  ///< for messages
  const Topology& topology;
  const HostNames& hosts;
  std::optional<std::uint32_t> processes{};  ///< number of processes, if known
  std::uint32_t slots = 1;                   ///< processes that a node hosts at most
};

struct MapFormat {
  std::string name;
  std::string help;  ///< one line: contents and readers
  std::string example;
  std::string suffix;  ///< ".map" tells the format without "FORMAT:"; may be empty
  /// Throws InputError (no place) when the format cannot hold it.
  std::string (*write)(const MapExport&);
  /// Gives the node of each process, no node more often than it has slots; null if the format is
  /// only written or `holds_embedding`. Throws InputError that names file and line.
  std::vector<NodeId> (*read)(std::string_view text, const MapImport&);
  bool names_hosts = false;  ///< files call nodes by the names of hosts
  /// A file holds an embedding in the form of a scenario; the reader of scenarios reads it.
  bool holds_embedding = false;
};

/// Every format, sorted by name.
std::span<const MapFormat* const> map_format_catalog();

struct MapFile {
  const MapFormat* format = nullptr;
  std::filesystem::path file;
};

/// Parses "scotch:x.map", or a file name with the suffix of a format; nothing for any other text.
std::optional<MapFile> find_map_file(std::string_view text);
/// A file of the format with this name. Throws InputError (no place) when there is no such format.
MapFile map_file(const std::filesystem::path& file, std::string_view format);

/// The map as an embedding of a scenario: the format json.
std::string explicit_embedding_json(std::span<const NodeId> map);

/// Node of each process, at most `slots` of them on a node. Throws InputError that names the file,
/// and the line if there is one; also unless there are as many as `processes`, if given.
std::vector<NodeId> read_map(const MapFile& file, const Topology& topology, const HostNames& hosts,
                             std::optional<std::uint32_t> processes = std::nullopt,
                             std::uint32_t slots = 1);

}  // namespace dcube
