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

/// Several traces that are written at once from the same records.
class TraceFiles {
 public:
  /// Opens the files of the targets; there must be at least one. Throws InputError.
  explicit TraceFiles(std::span<const TraceTarget> targets);

  /// The folder of the first file, where records go that do not fit in memory.
  std::filesystem::path folder() const;

  /// Writes all traces; fills in the counts of the description.
  void write(RecordSorter& records, TraceDescription description, const TraceProgress& progress);

 private:
  std::vector<TraceTarget> targets_;
  std::vector<std::unique_ptr<WholeFile>> files_;
};

}  // namespace dcube::detail
