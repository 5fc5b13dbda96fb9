#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/search/search_request.hpp"

namespace dcube::app {

/// A map that the one found is held against.
struct EarlierMap {
  std::string name;  ///< "x.rankfile"
  std::vector<NodeId> map;
  std::optional<std::uint64_t> cost{};  ///< nothing where it cannot run
  bool is_in_use = false;               ///< named by --against, or the scenario's
  std::uint32_t on_failed_nodes = 0;    ///< processes
  std::uint32_t on_left_out_nodes = 0;  ///< processes on other nodes that host nothing
};

/// What --against names, which is added to `inputs`; else the scenario's own map; else processes in
/// the order of the nodes. Throws InputError.
EarlierMap earlier_map(const SearchRequest& request, const Subject& subject,
                       const SearchProblem& problem, std::vector<std::filesystem::path>& inputs);

/// A search whose map is to be used, and what it is held against.
struct Placing {
  const Subject& subject;
  const SearchProblem& problem;
  const SearchOutcome& outcome;
  const EarlierMap& earlier;
  std::vector<std::string> files;  ///< that are written
};

/// For people.
std::string placing_summary(const Placing& placing);
std::string placing_json(const Placing& placing);

}  // namespace dcube::app
