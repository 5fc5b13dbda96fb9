#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/refuse.hpp"
#include "csv_format.hpp"
#include "dcube/trace/trace.hpp"
#include "record.hpp"

namespace dcube::detail {

/// Reads a CSV trace record by record and checks it on the way. Throws InputError with file and
/// line.
class CsvReader : public RejectsIf<CsvReader> {
 public:
  /// Reads as far as the names of the columns.
  CsvReader(const std::filesystem::path& file, const TraceFilter& filter);

  /// Description of the run; its filter combines the file's and the requested one.
  const TraceDescription& description() const { return description_; }

  /// The next record that the filter keeps; nothing at the end. There must then have been as many
  /// records of each kind as the description promises.
  std::optional<TraceRecord> next();

  [[noreturn]] void reject(std::string_view problem) const;

 private:
  bool read_line();
  void read_comments();
  void set(const std::string& key, const std::string& value);
  void check_description() const;
  void read_columns();
  void split();
  void check_counts() const;

  std::string_view cell(CsvColumn column) const;
  bool has(CsvColumn column) const { return !cell(column).empty(); }
  std::int64_t number(CsvColumn column, std::int64_t most) const;
  std::uint32_t word(CsvColumn column) const;
  Ticks time(CsvColumn column) const;
  ProcessId process(CsvColumn column) const;
  NodeId node(CsvColumn column) const;
  std::uint64_t bytes() const;
  TraceRecord record() const;
  TraceRecord interval() const;
  TraceRecord hop() const;
  TraceRecord message() const;

  std::filesystem::path file_;
  std::ifstream stream_;
  std::vector<char> buffer_;
  std::string line_;
  std::uint64_t line_number_ = 0;
  TraceDescription description_;
  std::vector<std::string> keys_;      ///< seen in the comments
  std::vector<std::size_t> place_of_;  ///< [CsvColumn]: which cell of a line
  std::vector<std::string_view> cells_;
  std::array<std::uint64_t, 3> counts_{};
};

}  // namespace dcube::detail
