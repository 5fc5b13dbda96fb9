#include "dcube/show/columns.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/show/readable.hpp"

namespace dcube {
namespace {

/// The value as it is; empty when it is missing.
std::string plain_text(const CellValue& value) {
  std::string text;
  visit_plain(value, [&](const auto& plain) {
    if constexpr (!std::is_same_v<decltype(plain), const std::nullptr_t&>) {
      text = fmt::format("{}", plain);
    }
  });
  return text;
}

double number(const CellValue& value) {
  double result = 0;
  visit_plain(value, [&](const auto& plain) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(plain)>>) {
      result = static_cast<double>(plain);
    }
  });
  return result;
}

std::string shown_text(const CellValue& value, Shown shown, const TimeScale& scale) {
  if (value.is_missing()) {
    return "-";
  }
  if (std::holds_alternative<std::string>(value)) {  // "refused" where others have a number
    return plain_text(value);
  }
  switch (shown) {
    case Shown::count:
      return grouped(std::get<std::uint64_t>(value));
    case Shown::time:
      return scale.text(number(value));
    case Shown::exact_time:
      return format_time(std::get<Ticks>(value));
    case Shown::hundredths:
      return fmt::format("{:.2f}", number(value));
    case Shown::thousandths:
      return fmt::format("{:.3f}", number(value));
    case Shown::share:
      return percent(number(value));
    default:
      return plain_text(value);
  }
}

/// First column of a column's group: neighbours with the same title form one.
std::size_t group_begin(const std::vector<ColumnHead>& heads, std::size_t column) {
  while (column > 0 && !heads[column].group.empty() &&
         heads[column - 1].group == heads[column].group) {
    --column;
  }
  return column;
}

}  // namespace

const char* to_string(Shown shown) {
  constexpr std::array names{"nowhere",    "text",       "figure",      "count", "time",
                             "exact_time", "hundredths", "thousandths", "share"};
  return names.at(static_cast<std::size_t>(shown));
}

Table table_of(const std::vector<ColumnHead>& heads,
               const std::vector<std::vector<CellValue>>& rows) {
  Table table{mapped(heads, [](const ColumnHead& head) {
    return Table::Column{head.header,
                         head.shown == Shown::text ? Table::Align::left : Table::Align::right};
  })};
  std::map<std::size_t, std::vector<double>> times;  // by the first column of a group
  std::map<std::size_t, std::size_t> group_sizes;
  for (std::size_t column = 0; column < heads.size(); ++column) {
    const std::size_t group = group_begin(heads, column);
    ++group_sizes[group];
    for (const std::vector<CellValue>& row : rows) {
      if (heads[column].shown == Shown::time && !row[column].is_missing()) {
        times[group].push_back(number(row[column]));
      }
    }
  }
  for (const auto& [first, size] : group_sizes) {
    if (!heads[first].group.empty()) {
      table.add_group(first, size, heads[first].group);
    }
  }
  const auto scales = numbered(heads.size(), [&](std::size_t column) {
    return TimeScale{times[group_begin(heads, column)]};
  });
  for (const std::vector<CellValue>& row : rows) {
    table.add_row(numbered(heads.size(), [&](std::size_t column) {
      return shown_text(row[column], heads[column].shown, scales[column]);
    }));
  }
  return table;
}

Table facts_of(const std::vector<ColumnHead>& heads, const std::vector<CellValue>& values) {
  Table table = facts_table();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!values[i].is_missing()) {
      const TimeScale scale{std::array{number(values[i])}};
      table.add_row({heads[i].header, shown_text(values[i], heads[i].shown, scale)});
    }
  }
  return table;
}

std::string csv_line(std::span<const CellValue> cells) {
  std::string line;
  for (const CellValue& cell : cells) {
    line += &cell == cells.data() ? "" : ",";
    line += csv_text(plain_text(cell));
  }
  return line + "\n";
}

}  // namespace dcube
