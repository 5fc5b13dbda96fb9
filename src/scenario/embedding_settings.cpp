#include "dcube/scenario/embedding_settings.hpp"

#include <bit>

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// The settings with the names of their files changed by `change`.
template <class Change>
Params with_files(Params settings, Change change) {
  if (settings.has("file")) {
    const std::string file = settings.text("file");
    const auto found = settings.has("format") ? std::nullopt : find_map_file(file);
    if (found) {
      settings.set("format", found->format->name);
    }
    settings.set("file", change(found ? found->file : fs::path{file}));
  }
  if (settings.has("hosts") && !HostNames::is_pattern(settings.text("hosts"))) {
    settings.set("hosts", change(settings.text("hosts")));
  }
  return settings;
}

/// The JSON file that `name_or_file` means, if any.
std::optional<fs::path> json_file(const std::string& name_or_file) {
  if (const std::optional<MapFile> map = find_map_file(name_or_file)) {
    return map->format->holds_embedding ? std::optional{map->file} : std::nullopt;
  }
  const bool is_file = name_or_file.find('/') != std::string::npos;
  return is_file ? std::optional<fs::path>{name_or_file} : std::nullopt;
}

}  // namespace

Params load_embedding_settings(const std::string& name_or_file, const std::string& hosts) {
  Params settings;
  if (const std::optional<fs::path> json = json_file(name_or_file)) {
    const Params document = read_json_file(*json);
    if (!document.has("kind")) {
      refuse_other_document(document, "an embedding");
    }
    settings = with_files(document, [&](const fs::path& file) {
      return path_in(known_as(*json).parent_path(), file).string();
    });
  } else if (const std::optional<MapFile> map = find_map_file(name_or_file)) {
    settings.set("kind", "explicit");
    settings.set("file", map->file.string());
    settings.set("format", map->format->name);
  } else {
    return named_embedding(name_or_file, "");
  }
  if (!hosts.empty() && settings.has("file")) {
    settings.set("hosts", hosts);
  }
  return settings;
}

bool is_of_name(const Params& settings) {
  return settings.place().empty() && !settings.has("file");
}

Override embedding_override(const std::string& name_or_file, const std::string& hosts,
                            const fs::path& scenario) {
  if (find_kind(embedding_catalog(), name_or_file) != nullptr) {
    return {"/embedding", name_or_file};
  }
  const auto name = [&](const fs::path& file) { return name_in(scenario.parent_path(), file); };
  return {"/embedding", "", with_files(load_embedding_settings(name_or_file, hosts), name),
          json_file(name_or_file).value_or("")};
}

Guest usual_guest(const Params& settings, const Topology& topology) {
  if (const std::optional<Guest> named = named_guest(settings)) {
    return *named;
  }
  const Setting* const map = settings.find("map");
  if (map != nullptr && map->list() != nullptr && !map->list()->empty()) {
    return Guest::of_processes(static_cast<std::uint32_t>(map->list()->size()));
  }
  return Guest::cube(static_cast<std::uint32_t>(std::bit_width(topology.usable_count()) - 1));
}

Params read_embedding_file(const Params& settings, const Topology& topology,
                           std::optional<std::uint32_t> processes, std::vector<fs::path>* inputs,
                           std::uint32_t slots) {
  std::vector<fs::path> read;
  return with_map_of_file(settings, {topology, slots}, processes, {},
                          inputs != nullptr ? *inputs : read);
}

}  // namespace dcube
