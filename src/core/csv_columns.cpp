#include "csv_columns.hpp"

#include <algorithm>
#include <limits>

#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::size_t nowhere = ~std::size_t{0};

/// `cell` without blanks, and then without quotes, around it.
std::string_view unquoted(std::string_view cell) {
  cell = trimmed(cell);
  const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? cell.substr(1, cell.size() - 2) : cell;
}

/// A column's name in lower case and its word in this program.
struct OtherName {
  std::string_view other;
  std::string_view name;
};
constexpr OtherName other_names[] = {
    {"source", "from"},    {"src", "from"},    {"sender", "from"},  {"origin", "from"},
    {"destination", "to"}, {"dest", "to"},     {"dst", "to"},       {"target", "to"},
    {"receiver", "to"},    {"size", "bytes"},  {"volume", "bytes"}, {"weight", "bytes"},
    {"count", "messages"}, {"rank", "process"}};

/// The one of `names` that `cell` means; the end if there is none.
std::span<const std::string>::iterator find_column(std::string_view cell,
                                                   std::span<const std::string> names) {
  const std::string word = lower_case(cell);
  const auto other = std::ranges::find(other_names, word, &OtherName::other);
  const auto name = std::ranges::find(names, word);
  return name == names.end() && other != std::end(other_names)
             ? std::ranges::find(names, other->name)
             : name;
}

}  // namespace

CellSeparator::CellSeparator(std::string_view first_line, std::string_view separators) {
  const auto found = std::ranges::find_if(
      separators, [&](char one) { return first_line.find(one) != std::string_view::npos; });
  separator_ = found != separators.end() ? *found : ' ';
}

std::vector<std::string_view> CellSeparator::cells(std::string_view line) const {
  return mapped(separator_ == ' ' ? blank_separated(line) : split_at(line, separator_), unquoted);
}

CsvColumns::CsvColumns(Scanner& scanner, std::span<const std::string> names, std::size_t required,
                       Header header)
    : scanner_{scanner}, position_(names.size(), nowhere) {
  if (!scanner_.next_line()) {
    refuse_if(header == Header::required, scanner_.file(),
              "is empty (its first line names the columns: {})", joined(names, ","));
    return;
  }
  separator_ = CellSeparator{scanner_.line()};
  split();
  width_ = cells_.size();
  if (header == Header::optional && decimal_length(cells_.front()) > 0) {
    has_row_ = true;
    for (std::size_t i = 0; i < names.size() && i < width_; ++i) {
      position_[i] = i;
    }
  } else {
    read_header(names);
  }
  for (std::size_t i = 0; i < required; ++i) {
    scanner_.reject_if(position_[i] == nowhere, "there is no column `{}`", names[i]);
  }
  scanner_.reject_if(has_row_ && width_ > names.size(), "{} cells ({})", width_,
                     joined(names, ", "));
}

void CsvColumns::read_header(std::span<const std::string> names) {
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const auto name = find_column(cells_[cell], names);
    scanner_.reject_if(name == names.end(), "{} is no column{}", shown(cells_[cell]),
                       nearest_name_hint(cells_[cell], names));
    std::size_t& position = position_[static_cast<std::size_t>(name - names.begin())];
    scanner_.reject_if(position != nowhere, "the column `{}` is there twice", *name);
    position = cell;
  }
}

void CsvColumns::split() { cells_ = separator_.cells(scanner_.line()); }

bool CsvColumns::next_row() {
  if (has_row_) {
    has_row_ = false;
    return true;
  }
  if (!scanner_.next_line()) {
    return false;
  }
  split();
  scanner_.reject_if(cells_.size() != width_, "{} cells where the first line has {}", cells_.size(),
                     width_);
  return true;
}

std::string_view CsvColumns::cell(std::size_t column) const {
  return position_[column] == nowhere ? std::string_view{} : cells_[position_[column]];
}

std::uint32_t CsvColumns::node(std::size_t column) const {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  return static_cast<std::uint32_t>(scanner_.whole(cell(column), 0, most, "the number of a node"));
}

}  // namespace dcube
