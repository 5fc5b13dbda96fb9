#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/runs/record.hpp"

namespace dcube {

// A file of records is JSON lines: a head, then a line for each run. Records are appended, so only
// the last line can be torn.

/// The first line, without a newline. `study`: Study::id().
std::string store_head(std::string_view study, std::string_view host, long process);

/// A line without a newline.
std::string record_text(const RunRecord& record);

/// Reads a file of records piece by piece.
class RecordReader {
 public:
  /// `file`: for complaints. `study`: Study::id().
  RecordReader(std::string file, std::string study)
      : file_{std::move(file)}, study_{std::move(study)} {}

  /// Reads the lines of the next piece that end in it, and returns how many bytes they have; what
  /// follows them belongs to the next piece. Throws InputError for a line that is no record, and
  /// for a head of another version or study.
  std::size_t read(std::string_view piece, const std::function<void(RunRecord)>& on_record);

 private:
  [[noreturn]] void refuse_line(std::string_view problem) const;

  std::string file_;
  std::string study_;
  std::size_t line_ = 1;
  std::vector<std::size_t> places_;  ///< catalogue index of each measure of the file
};

}  // namespace dcube
