#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scanner.hpp"

namespace dcube {

/// The rows of a table. Its first line names the columns, in any order; without such a line they
/// are in the order of `names`.
class CsvColumns {
 public:
  /// The first `required` of `names` must be there. The scanner must be at its beginning and
  /// outlive this.
  CsvColumns(Scanner& scanner, const std::vector<std::string>& names, std::size_t required);

  bool next_row();
  bool has(std::size_t column) const { return position_[column] < width_; }
  /// A cell of the row, by the column's index in `names`; empty when the table has no such column.
  std::string_view cell(std::size_t column) const;

 private:
  void read_header(const std::vector<std::string>& names);
  void split();

  Scanner& scanner_;
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> position_;  ///< [column] in a row; past its end: there is none
  std::size_t width_ = 0;
  bool has_row_ = false;  ///< the first line was a row
};

}  // namespace dcube
