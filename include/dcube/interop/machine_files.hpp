#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"

namespace dcube {

/// A way in which another tool describes machines.
struct MachineFormat {
  std::string name;    ///< "astra-sim"
  std::string help;    ///< one line
  std::string suffix;  ///< ".yml", which tells the format
  /// The document of the machine, as in a machine file. `file` is absolute. Throws InputError that
  /// names the file, and the line if there is one.
  Params (*read)(const std::filesystem::path& file);
};

/// Every format.
const std::vector<MachineFormat>& machine_formats();

/// The format that the file's suffix tells; null for any other.
const MachineFormat* machine_format_of(std::string_view file);

}  // namespace dcube
