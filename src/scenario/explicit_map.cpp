#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/embedding_settings.hpp"

namespace dcube {
namespace {

Setting map_setting(std::span<const NodeId> map) {
  return mapped(map, [](NodeId node) { return number_setting(node.index()); });
}

namespace fs = std::filesystem;

const std::array<std::string, 5> map_keys{"kind", "guest", "file", "format", "hosts"};

MapFile file_of(const Params& settings, const fs::path& folder) {
  const std::string name = settings.text("file");
  if (settings.has("format")) {
    const std::string format = settings.text("format");
    return at_place(settings.place_of("format"),
                    [&] { return map_file(path_in(folder, name), format); });
  }
  // FORMAT: is no part of the path, so it is split off before the folder is prepended.
  if (std::optional<MapFile> found = find_map_file(name)) {
    found->file = path_in(folder, found->file);
    return *found;
  }
  settings.reject("file", fmt::format("{} has no suffix that tells its format (add `format`)",
                                      settings.find("file")->describe()));
}

HostNames hosts_of(const Params& settings, const Topology& topology, const fs::path& folder,
                   std::vector<fs::path>& inputs) {
  if (!settings.has("hosts")) {
    return HostNames::of_machine(topology);
  }
  std::string text = settings.text("hosts");
  if (!HostNames::is_pattern(text)) {
    inputs.push_back(path_in(folder, text));
    text = inputs.back().string();
  }
  const std::string place = settings.place().empty() ? ".hosts" : settings.place_of("hosts");
  return at_least_at(place, [&] { return HostNames::parse(text, topology); });
}

/// The settings in the JSON file, in place of its name; complaints about the map are about the
/// file.
Params embedding_in(const fs::path& file, const Params& settings) {
  Params result = read_json_file(file);
  if (const std::string kind = result.text("kind"); kind != "explicit") {
    result.reject("kind", Setting{kind}.describe() + " is no map (\"explicit\" with a `map` is)");
  }
  if (const Setting* guest = settings.find("guest")) {
    result.set("guest", *guest);
  }
  refuse_if(result.has("file") && file_of(result, file.parent_path()).format->holds_embedding,
            result.place_of("file"), "names one more JSON file (write the map here)");
  refuse_if(settings.has("hosts"), settings.place_of("hosts"),
            "is for maps that name nodes ({} holds their numbers)", file.string());
  return result;
}

}  // namespace

Params with_map_of_file(const Params& settings, const SlottedNodes& nodes_of_machine,
                        std::optional<std::uint32_t> processes, const fs::path& folder,
                        std::vector<fs::path>& inputs) {
  if (!settings.has("file") || settings.text("kind") != "explicit") {
    return settings;
  }
  refuse_if(settings.has("map"), settings.place_of("file"),
            "given beside `map` (one of them says which node hosts which process)");
  settings.allow_only(map_keys);
  const auto& [topology, slots] = nodes_of_machine;
  const MapFile file = file_of(settings, folder);
  inputs.push_back(file.file);
  if (file.format->holds_embedding) {
    return with_map_of_file(embedding_in(file.file, settings), nodes_of_machine, processes,
                            file.file.parent_path(), inputs);
  }
  const std::vector<NodeId> map =
      read_map(file, topology, hosts_of(settings, topology, folder, inputs), processes, slots);
  Params result{file.file.string() + ": "};
  result.set("kind", "explicit");
  if (const Setting* guest = settings.find("guest")) {
    result.set("guest", *guest);
  }
  result.set("map", map_setting(map));
  return result;
}

Params explicit_embedding(std::span<const NodeId> map) {
  return group_of({{"kind", "explicit"}, {"map", map_setting(map)}});
}

}  // namespace dcube
