#include "csv_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/decimal.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::size_t nowhere = ~std::size_t{0};

/// `cell` without quotes around it.
std::string_view unquoted(std::string_view cell) {
  const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? cell.substr(1, cell.size() - 2) : cell;
}

bool begins_like_a_number(std::string_view cell) { return decimal_length(cell) > 0; }

}  // namespace

CsvColumns::CsvColumns(Scanner& scanner, std::span<const std::string_view> names,
                       std::size_t required)
    : scanner_{scanner}, position_(names.size(), nowhere), required_{required} {
  if (!scanner_.next_line()) {
    return;
  }
  split();
  width_ = cells_.size();
  if (begins_like_a_number(cells_.front())) {
    has_row_ = true;
    for (std::size_t i = 0; i < names.size() && i < width_; ++i) {
      position_[i] = i;
    }
  } else {
    read_header(names);
  }
  for (std::size_t i = 0; i < required_; ++i) {
    if (position_[i] == nowhere) {
      scanner_.reject(fmt::format("there is no column `{}`", names[i]));
    }
  }
  if (has_row_ && width_ > names.size()) {
    scanner_.reject(fmt::format("{} cells ({})", width_, fmt::join(names, ", ")));
  }
}

void CsvColumns::read_header(std::span<const std::string_view> names) {
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const auto name = std::ranges::find(names, cells_[cell]);
    if (name == names.end()) {
      const std::vector<std::string> known{names.begin(), names.end()};
      scanner_.reject(fmt::format("{} is no column{}", shown(cells_[cell]),
                                  nearest_name_hint(cells_[cell], known)));
    }
    std::size_t& position = position_[static_cast<std::size_t>(name - names.begin())];
    if (position != nowhere) {
      scanner_.reject(fmt::format("the column `{}` is there twice", *name));
    }
    position = cell;
  }
}

void CsvColumns::split() {
  cells_.clear();
  const std::string_view line = scanner_.line();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells_.push_back(unquoted(trimmed(line.substr(begin, end - begin))));
    begin = end + 1;
  }
}

bool CsvColumns::next_row() {
  if (has_row_) {
    has_row_ = false;
    return true;
  }
  if (!scanner_.next_line()) {
    return false;
  }
  split();
  if (cells_.size() != width_) {
    scanner_.reject(fmt::format("{} cells where the first line has {}", cells_.size(), width_));
  }
  return true;
}

std::string_view CsvColumns::cell(std::size_t column) const {
  return position_[column] == nowhere ? std::string_view{} : cells_[position_[column]];
}

}  // namespace dcube
