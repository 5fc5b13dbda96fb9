#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dcube {

/// An aligned text table: two blanks between columns, none at the end of a line.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string header;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns) : columns_{std::move(columns)} {}

  /// Writes `title` above the `count` columns from `first` on.
  void add_group(std::size_t first, std::size_t count, std::string title);
  /// Needs a cell for every column. Cells are made printable().
  void add_row(std::vector<std::string> cells);

  /// Titles of groups, headers unless all are empty, and the rows; each line is indented by
  /// `indent` blanks and ends with a newline.
  std::string text(std::size_t indent = 0) const;
  /// The headers, "mean dilation" in a group titled "dilation", and the rows.
  std::vector<std::vector<std::string>> cells() const;
  /// The table in Markdown. The first column stands left, the others right.
  std::string markdown() const;

 private:
  struct Group {
    std::size_t first;
    std::size_t count;
    std::string title;
  };

  std::vector<std::size_t> widths() const;
  std::string group_line(const std::vector<std::size_t>& widths) const;
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::string>> rows_;
};

/// A table of names and what there is to say of each, without headers.
inline Table facts_table() { return Table{{{"", Table::Align::left}, {"", Table::Align::left}}}; }

}  // namespace dcube
