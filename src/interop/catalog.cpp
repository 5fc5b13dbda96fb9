#include "catalog.hpp"

#include <fmt/format.h>

#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

/// The format named before a colon or by suffix (or null), and the offset of the file's name.
template <class Format>
std::pair<const Format*, std::size_t> named_format(std::span<const Format* const> catalog,
                                                   std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && colon + 1 < text.size()) {
    if (const Format* format = find_kind(catalog, text.substr(0, colon))) {
      return {format, colon + 1};
    }
  }
  for (const Format* format : catalog) {
    if (!format->suffix.empty() && text.ends_with(format->suffix)) {
      return {format, 0};
    }
  }
  return {nullptr, 0};
}

std::vector<std::string> readable_map_formats() {
  std::vector<std::string> names;
  for (const MapFormat* format : map_format_catalog()) {
    if (format->read != nullptr || format->holds_embedding) {
      names.push_back(format->name);
    }
  }
  return names;
}

}  // namespace

std::span<const MapFormat* const> map_format_catalog() {
#define DCUBE_FORMAT_ADDRESS(name) &name##_map_format,
  static constexpr const MapFormat* formats[] = {DCUBE_MAP_FORMATS(DCUBE_FORMAT_ADDRESS)};
#undef DCUBE_FORMAT_ADDRESS
  return formats;
}

std::span<const TrafficFormat* const> traffic_format_catalog() {
#define DCUBE_FORMAT_ADDRESS(name) &name##_traffic_format,
  static constexpr const TrafficFormat* formats[] = {DCUBE_TRAFFIC_FORMATS(DCUBE_FORMAT_ADDRESS)};
#undef DCUBE_FORMAT_ADDRESS
  return formats;
}

std::optional<MapFile> find_map_file(std::string_view text) {
  const auto [format, start] = named_format(map_format_catalog(), text);
  if (format == nullptr) {
    return std::nullopt;
  }
  return MapFile{format, text.substr(start)};
}

MapFile map_file(const fs::path& file, std::string_view format) {
  const MapFormat* found = find_kind(map_format_catalog(), format);
  if (found == nullptr) {
    throw InputError(
        "", fmt::format("{} is not a map format{}", Setting{std::string{format}}.describe(),
                        nearest_name_hint(format, readable_map_formats())));
  }
  return {found, file};
}

std::vector<NodeId> read_map(const MapFile& file, const Topology& topology, const HostNames& hosts,
                             std::optional<std::uint32_t> processes, std::uint32_t slots) {
  if (file.format->read == nullptr) {
    throw InputError(file.file.string(),
                     fmt::format("{} is written only (maps are read from {})", file.format->name,
                                 joined(readable_map_formats(), ", ")));
  }
  std::vector<NodeId> map = file.format->read(
      file_text(file.file), {file.file.string(), topology, hosts, processes, slots});
  if (processes && map.size() != *processes) {
    throw InputError(file.file.string(), fmt::format("{} nodes for {} processes (one for each)",
                                                     map.size(), *processes));
  }
  return map;
}

TrafficFile parse_traffic_file(std::string_view text) {
  const auto [format, start] = named_format(traffic_format_catalog(), text);
  if (format == nullptr) {
    std::vector<std::string> suffixes = mapped(traffic_format_catalog(), &TrafficFormat::suffix);
    std::erase(suffixes, "");
    throw InputError(
        "", fmt::format("{} does not say what it is written in (FORMAT:FILE with {}, or one of the "
                        "suffixes {})",
                        Setting{std::string{text}}.describe(),
                        joined(names_of(traffic_format_catalog()), ", "), joined(suffixes, " ")));
  }
  return {format, text.substr(start)};
}

Traffic read_traffic(const fs::path& file) {
  const TrafficFile found = parse_traffic_file(file.string());
  return found.format->read(file_text(found.file), found.file.string());
}

}  // namespace dcube
