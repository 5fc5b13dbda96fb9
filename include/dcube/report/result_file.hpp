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
  std::filesystem::path folder{};  ///< base of file names in a result's scenario
};

struct NamedFiles {
  std::vector<NamedFile> files;
  std::vector<std::string> left_out;  ///< JSON files of a folder that are not results
};

/// Files that a path stands for: a result or a scenario for itself, a comparison for the results
/// that it lists, in its order, a folder for its comparison or, without one, for all results in it.
/// Checks that results have all that a report shows. Throws InputError.
NamedFiles read_named(const std::filesystem::path& path);

/// Reads and checks a result; complaints name `path`.
Params read_result(const std::string& text, const std::string& path);

/// "makespan_ps" of a result.
Ticks makespan_of(const Params& result);

/// Sides of a result's machine. A hypercube of one node has none.
std::vector<std::uint32_t> sides_of(const Params& machine);

/// Numbers of a list, each 0 or more. Empty without such a list.
std::vector<double> numbers(const Params& group, std::string_view key);
/// Whole numbers of a list, each below `bound`. Empty without such a list.
std::vector<std::uint32_t> indices(const Params& group, std::string_view key, std::size_t bound);

}  // namespace dcube::report
