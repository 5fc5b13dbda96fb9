#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"

namespace dcube::report {

/// What kind of file somebody has named.
enum class FileKind { result, scenario, comparison };

struct NamedFile {
  FileKind kind = FileKind::result;
  std::filesystem::path path;
  Params content;
};

/// Reads a JSON file and tells what it is. A result is checked to have what a report shows. Throws
/// InputError.
NamedFile read_named_file(const std::filesystem::path& path);

/// A result that `text` holds, checked; `path` is what complaints name.
Params read_result(const std::string& text, const std::string& path);

/// The results that lie beside a comparison, by name.
std::vector<NamedFile> results_beside(const std::filesystem::path& comparison);

/// "makespan_ps" of a result.
Ticks makespan_of(const Params& result);

}  // namespace dcube::report
