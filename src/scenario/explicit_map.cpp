#include "explicit_map.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "json_reading.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 5> file_keys{"kind", "guest", "file", "format", "hosts"};

MapFile file_of(const Params& settings, const fs::path& folder) {
  const std::string name = settings.text("file");
  if (settings.has("format")) {
    const std::string file = (folder / name).lexically_normal().string();
    const std::string format = settings.text("format");
    try {
      return map_file(file, format);
    } catch (const InputError& error) {
      settings.reject("format", error.problem());
    }
  }
  // Before the folder is put before it: FORMAT: is not a part of the path.
  if (std::optional<MapFile> found = find_map_file(name)) {
    found->file = (folder / found->file).lexically_normal();
    return *found;
  }
  settings.reject("file", fmt::format("{} has no suffix that tells its format (add `format`)",
                                      settings.find("file")->describe()));
}

HostNames hosts_of(const Params& settings, const Topology& topology, const fs::path& folder) {
  if (!settings.has("hosts")) {
    return {};
  }
  const std::string text = settings.text("hosts");
  try {
    return HostNames::parse(
        HostNames::is_pattern(text) ? text : (folder / text).lexically_normal().string(),
        topology.node_count());
  } catch (const InputError& error) {
    throw InputError(error.place().empty() ? settings.place_of("hosts") : error.place(),
                     error.problem());
  }
}

/// What is in the file in place of its name; complaints about the map are about the file.
Params with_map_of_json(const Params& settings, const fs::path& file) {
  Params result = read_json_file(file);
  if (result.text("kind") != "explicit") {
    result.reject("kind", fmt::format("{} is no map (\"explicit\" with a `map` is)",
                                      result.find("kind")->describe()));
  }
  if (const Setting* guest = settings.find("guest")) {
    result.set("guest", *guest);
  }
  return result;
}

}  // namespace

Params with_map_of_file(const Params& settings, const Topology& topology,
                        std::optional<std::uint32_t> processes, const fs::path& folder) {
  if (!settings.has("file") || settings.text("kind") != "explicit") {
    return settings;
  }
  if (settings.has("map")) {
    settings.reject("file", "given beside `map` (one of them says which node hosts which process)");
  }
  settings.allow_only(file_keys);
  const MapFile file = file_of(settings, folder);
  if (file.format->holds_embedding) {
    return with_map_of_json(settings, file.file);
  }
  const std::vector<NodeId> map =
      read_map(file, topology, hosts_of(settings, topology, folder), processes);
  Setting::List nodes;
  nodes.reserve(map.size());
  for (const NodeId node : map) {
    nodes.emplace_back(Setting::Number{std::to_string(node.index())});
  }
  Params result{settings.place()};
  result.set("kind", "explicit");
  if (const Setting* guest = settings.find("guest")) {
    result.set("guest", *guest);
  }
  result.set("map", std::move(nodes));
  return result;
}

}  // namespace dcube
