#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scanner.hpp"

namespace dcube {

/// Whether a table needs a first line that names its columns.
enum class Header { optional, required };

/// Separates the cells of a table's lines: at the first of `separators` that the first line has,
/// else at blanks.
class CellSeparator {
 public:
  explicit CellSeparator(std::string_view first_line, std::string_view separators = ";,");
  /// Cells without blanks, and then without quotes, around them.
  std::vector<std::string_view> cells(std::string_view line) const;

 private:
  char separator_;  ///< ' ': any number of blanks
};

/// Reader of a table's rows. The first line names the columns, in any order; where it is missing
/// (Header::optional), the columns are in the order of `names`. Words that other tools write for
/// from, to, bytes, .. name these columns, too: source, destination, size, ..
class CsvColumns {
 public:
  /// The first `required` of `names` must be there. `scanner`: at its beginning; outlives this.
  CsvColumns(Scanner& scanner, std::span<const std::string> names, std::size_t required,
             Header header = Header::optional);

  bool next_row();
  bool has(std::size_t column) const { return position_[column] < width_; }
  /// The row's cell; `column` is an index in `names`. Empty when the table has no such column.
  std::string_view cell(std::size_t column) const;
  std::uint32_t node(std::size_t column) const;

 private:
  void read_header(std::span<const std::string> names);
  void split();

  Scanner& scanner_;
  CellSeparator separator_{{}};
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> position_;  ///< [column]: its cell in a row; past the end: none
  std::size_t width_ = 0;
  bool has_row_ = false;  ///< the first line was a row
};

}  // namespace dcube
