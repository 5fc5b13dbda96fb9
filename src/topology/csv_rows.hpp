#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// The rows of a table whose first line names its columns, in any order. Lines without text and
/// those that begin with # are passed over. Complaints, InputErrors, name the file and the line.
class CsvRows {
 public:
  /// Of `names` the first `required` must be there. `text` and `file` must outlive this.
  CsvRows(std::string_view text, std::string_view file, std::span<const std::string> names,
          std::size_t required);

  bool next_row();
  /// A cell of the row, without blanks and quotes around it, by its column's index in `names`;
  /// empty when there is no such column.
  std::string_view cell(std::size_t column) const;
  /// The cell as a node's number.
  std::uint32_t node(std::size_t column) const;
  /// "FILE: line 3".
  std::string place() const;
  [[noreturn]] void reject(std::string_view problem) const;

 private:
  bool next_line();
  void split();

  std::string_view rest_;
  std::string_view file_;
  std::span<const std::string> names_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> position_;  ///< [column] in a row
};

}  // namespace dcube
