#include "dcube/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::size_t gap = 2;

std::string indented(std::string line, std::size_t indent) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line.empty() ? "\n" : fmt::format("{:{}}{}\n", "", indent, line);
}

}  // namespace

void Table::add_group(std::size_t first, std::size_t count, std::string title) {
  expects(count > 0 && first + count <= columns_.size(), "a group covers columns of its table");
  groups_.push_back({first, count, std::move(title)});
}

void Table::add_row(std::vector<std::string> cells) {
  expects(cells.size() == columns_.size(), "a row has a cell for every column");
  rows_.push_back(mapped(cells, [](const std::string& cell) { return printable(cell); }));
}

std::string Table::text(std::size_t indent) const {
  const std::vector<std::size_t> width = widths();
  const std::vector<std::string> headers = mapped(columns_, &Column::header);
  std::string text;
  if (!groups_.empty()) {
    text += indented(group_line(width), indent);
  }
  if (std::ranges::any_of(headers, [](const auto& header) { return !header.empty(); })) {
    text += indented(line(headers, width), indent);
  }
  for (const std::vector<std::string>& row : rows_) {
    text += indented(line(row, width), indent);
  }
  return text;
}

std::vector<std::vector<std::string>> Table::cells() const {
  std::vector<std::string> headers = mapped(columns_, &Column::header);
  for (const Group& group : groups_) {
    for (std::size_t column = group.first; column < group.first + group.count; ++column) {
      headers[column] += " " + group.title;
    }
  }
  std::vector<std::vector<std::string>> cells{std::move(headers)};
  cells.insert(cells.end(), rows_.begin(), rows_.end());
  return cells;
}

std::string Table::markdown() const {
  const auto cell = [](const std::string& text) {  // a bar would end it
    std::string shown;
    for (const char c : text) {
      shown += c == '|' ? "\\|" : std::string{c};
    }
    return shown;
  };
  std::string text = fmt::format(
      "| {} |\n| ---", joined(columns_, " | ", [](const Column& column) { return column.header; }));
  for (std::size_t column = 1; column < columns_.size(); ++column) {
    text += " | ---:";
  }
  text += " |\n";
  for (const std::vector<std::string>& row : rows_) {
    text += fmt::format("| {} |\n", joined(row, " | ", cell));
  }
  return text;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = character_count(columns_[column].header);
    for (const std::vector<std::string>& row : rows_) {
      width = std::max(width, character_count(row[column]));
    }
    widths.push_back(width);
  }
  for (const Group& group : groups_) {
    const auto first = widths.begin() + static_cast<std::ptrdiff_t>(group.first);
    const std::size_t covered = std::accumulate(
        first, first + static_cast<std::ptrdiff_t>(group.count), gap * (group.count - 1));
    *first += std::max(character_count(group.title), covered) - covered;
  }
  return widths;
}

std::string Table::group_line(const std::vector<std::size_t>& widths) const {
  std::string line;
  std::size_t column = 0;
  std::size_t begin = 0;
  for (const Group& group : groups_) {
    for (; column < group.first; ++column) {
      begin += widths[column] + gap;
    }
    const std::size_t end = character_count(line);
    line.append(std::max(begin, end) - end, ' ');
    line += group.title;
  }
  return line;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const std::string padding(widths[column] - character_count(cells[column]), ' ');
    line += column == 0 ? "" : std::string(gap, ' ');
    line +=
        columns_[column].align == Align::left ? cells[column] + padding : padding + cells[column];
  }
  return line;
}

}  // namespace dcube
