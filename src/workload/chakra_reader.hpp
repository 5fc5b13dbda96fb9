#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "trace_settings.hpp"

namespace dcube {

/// What a reader of Chakra traces needs besides the files.
struct ChakraContext {
  ExactTime microsecond;  ///< what a microsecond of a node takes
  Ignored ignored{};
  /// The processes of each group that is known by name; any other consists of the ranks that use
  /// its name.
  std::map<std::string, std::vector<std::uint32_t>> groups{};
  /// The bytes of a file, which is a part of all that is read.
  std::function<std::string(const std::filesystem::path&, ReadingPart)> text_of{};
};

/// The execution traces of MLCommons Chakra, one file a rank: a graph for each, by
/// GraphRules::resources. Throws InputError with the file and the number of the node.
Schedule read_chakra(const std::vector<std::filesystem::path>& files, ChakraContext context);

}  // namespace dcube
