#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "dcube/core/whole_file.hpp"
#include "dcube/trace/trace.hpp"
#include "record_sorter.hpp"

namespace dcube::detail {

/// Whether a trace with this filter holds the record.
bool keeps(const TraceFilter& filter, const TraceRecord& record);

/// Traces that are written side by side from the same records.
class TraceFiles {
 public:
  /// Opens them; throws InputError when it cannot. Needs one.
  explicit TraceFiles(std::span<const TraceTarget> targets);

  /// Where there should be room for what does not fit in memory.
  std::filesystem::path folder() const;

  /// Writes all of them; the description's counts are filled in.
  void write(RecordSorter& records, TraceDescription description, const TraceProgress& progress);

 private:
  std::vector<TraceTarget> targets_;
  std::vector<std::unique_ptr<WholeFile>> files_;
};

}  // namespace dcube::detail
