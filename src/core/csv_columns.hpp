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

/// Reader of a table's rows. The first line names the columns, in any order; where it is missing
/// (Header::optional), the columns are in the order of `names`.
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
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> position_;  ///< [column]: its cell in a row; past the end: none
  std::size_t width_ = 0;
  bool has_row_ = false;  ///< the first line was a row
};

}  // namespace dcube
