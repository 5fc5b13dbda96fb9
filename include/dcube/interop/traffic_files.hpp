#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "dcube/embedding/traffic.hpp"

namespace dcube {

struct TrafficFormat {
  std::string name;
  std::string help;  ///< one line: contents and readers
  std::string example;
  std::string suffix;  ///< ".mtx" tells the format without "FORMAT:"
  std::string (*write)(const Traffic&);
  /// `file` is for messages. Throws InputError that names the file, and the line if there is one.
  Traffic (*read)(std::string_view text, const std::string& file);
};

/// Every format, sorted by name.
std::span<const TrafficFormat* const> traffic_format_catalog();

struct TrafficFile {
  const TrafficFormat* format = nullptr;
  std::filesystem::path file;
};

/// Parses "mtx:FILE", or a file name whose suffix tells the format. Throws InputError (no place)
/// when the text is neither.
TrafficFile parse_traffic_file(std::string_view text);

/// Reads the file that parse_traffic_file() finds. Throws InputError: without a place when the
/// format is unknown, otherwise with the file, and the line if there is one.
Traffic read_traffic(const std::filesystem::path& file);

}  // namespace dcube
