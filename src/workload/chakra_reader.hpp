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

struct ChakraContext {
  ExactTime microsecond;  ///< simulated time of a microsecond of a node
  Ignored ignored{};
  /// Members of groups, by name; a group not listed consists of the ranks that use its name.
  std::map<std::string, std::vector<std::uint32_t>> groups{};
  std::string place_of_groups{};  ///< of the setting behind them
  /// Whether each group's collectives occupy a network of their own on every rank.
  bool has_stream_per_group = false;
  /// The bytes of a file, a part of everything that is read.
  std::function<std::string(const std::filesystem::path&, ReadingPart)> text_of{};
};

/// Reads execution traces of MLCommons Chakra, one file per rank, into graphs under
/// GraphRules::resources. Throws InputError with the file and the number of the node.
Schedule read_chakra(const std::vector<std::filesystem::path>& files, ChakraContext context);

}  // namespace dcube
