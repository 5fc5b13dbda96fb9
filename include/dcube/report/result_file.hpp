#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"

namespace dcube::report {

enum class FileKind { result, scenario };

struct NamedFile {
  FileKind kind = FileKind::result;
  std::filesystem::path path;
  Params content;
  std::filesystem::path folder{};  ///< what the scenario in a result names its files from
};

struct NamedFiles {
  std::vector<NamedFile> files;
  std::vector<std::string> left_out;  ///< JSON files of a folder that are no results of runs
};

/// The files that a path stands for. A result or a scenario is itself. A comparison stands for the
/// results that it lists, in its order. A folder stands for its comparison, or for all results in
/// it where there is none. Results are checked to have what a report shows. Throws InputError.
NamedFiles read_named(const std::filesystem::path& path);

/// The result that `text` holds, checked; complaints name `path`.
Params read_result(const std::string& text, const std::string& path);

/// "makespan_ps" of a result.
Ticks makespan_of(const Params& result);

/// The sides of a result's machine. A hypercube of one node has none.
std::vector<std::uint32_t> sides_of(const Params& machine);

/// The numbers of a list, each 0 or more. Empty when there is no such list.
std::vector<double> numbers(const Params& group, std::string_view key);
/// The whole numbers below `bound` of a list. Empty when there is no such list.
std::vector<std::uint32_t> indices(const Params& group, std::string_view key, std::size_t bound);

}  // namespace dcube::report
