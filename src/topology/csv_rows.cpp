#include "csv_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"

namespace dcube {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

std::string quoted(std::string_view text) { return Setting{std::string{text}}.describe(); }

std::string_view unquoted(std::string_view cell) {
  cell = trimmed(cell);
  const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? cell.substr(1, cell.size() - 2) : cell;
}

}  // namespace

CsvRows::CsvRows(std::string_view text, std::string_view file, std::span<const std::string> names,
                 std::size_t required)
    : rest_{text}, file_{file}, names_{names}, position_(names.size(), nowhere) {
  const std::string columns = fmt::format("{}", fmt::join(names, ","));
  refuse_if(!next_line(), file_, "is empty (its first line names the columns: {})", columns);
  split();
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    const auto name = std::ranges::find(names, cells_[at]);
    if (name == names.end()) {
      reject(fmt::format("{} is no column (the first line names the columns: {})",
                         quoted(cells_[at]), columns));
    }
    std::size_t& position = position_[static_cast<std::size_t>(name - names.begin())];
    if (position != nowhere) {
      reject(fmt::format("the column `{}` is there twice", *name));
    }
    position = at;
  }
  for (std::size_t column = 0; column < required; ++column) {
    if (position_[column] == nowhere) {
      reject(fmt::format("there is no column `{}`", names[column]));
    }
  }
}

bool CsvRows::next_line() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    line_ = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_number_;
    if (!line_.empty() && line_.front() != '#') {
      return true;
    }
  }
  return false;
}

void CsvRows::split() { cells_ = mapped(split_at(line_, ','), unquoted); }

bool CsvRows::next_row() {
  const std::size_t width = cells_.size();
  if (!next_line()) {
    return false;
  }
  split();
  if (cells_.size() != width) {
    reject(fmt::format("{} cells where the first line has {}", cells_.size(), width));
  }
  return true;
}

std::string_view CsvRows::cell(std::size_t column) const {
  return position_[column] == nowhere ? std::string_view{} : cells_[position_[column]];
}

std::uint32_t CsvRows::node(std::size_t column) const {
  const std::optional<std::uint32_t> node = parsed<std::uint32_t>(cell(column));
  if (!node || *node == std::numeric_limits<std::uint32_t>::max()) {
    reject(fmt::format("{} is not the number of a node", quoted(cell(column))));
  }
  return *node;
}

std::string CsvRows::place() const { return fmt::format("{}: line {}", file_, line_number_); }

void CsvRows::reject(std::string_view problem) const { throw InputError(place(), problem); }

}  // namespace dcube
