#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/show/text_table.hpp"

namespace dcube {

/// Value of one column in one row. A missing value is "-" in a text table, an empty cell in CSV and
/// null in JSON.
struct CellValue : std::variant<std::monostate, bool, std::uint64_t, double, Ticks, std::string> {
  CellValue() = default;
  CellValue(bool value) : variant{value} {}
  /// Whole numbers of 0 or more.
  template <std::integral Number>
  CellValue(Number value) : variant{static_cast<std::uint64_t>(value)} {}
  CellValue(double value) : variant{value} {}
  CellValue(Ticks value) : variant{value} {}
  CellValue(std::string value) : variant{std::move(value)} {}
  CellValue(std::string_view value) : variant{std::string{value}} {}
  CellValue(const char* value) : variant{std::string{value}} {}
  template <class Value>
  CellValue(const std::optional<Value>& value) : CellValue{} {
    if (value) {
      *this = CellValue{*value};
    }
  }

  bool is_missing() const { return index() == 0; }
};

/// Calls `take` with what the value holds: nullptr when it is missing, seconds for a time.
template <class Take>
void visit_plain(const CellValue& value, Take take) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          take(nullptr);
        } else if constexpr (std::is_same_v<Held, Ticks>) {
          take(to_seconds(held));
        } else {
          take(held);
        }
      },
      static_cast<const CellValue::variant&>(value));
}

/// Makes values members of JSON. Times are in seconds.
template <class Json>
void to_json(Json& json, const CellValue& value) {
  visit_plain(value, [&](const auto& plain) { json = plain; });
}

/// How text tables and pages show a column.
enum class Shown {
  nowhere,
  text,         ///< as it is, on the left
  figure,       ///< as it is, on the right
  count,        ///< "1,234,567"
  time,         ///< "4.50 s": one unit for all columns of a group
  exact_time,   ///< "1.2345678 s"
  hundredths,   ///< "1.25"
  thousandths,  ///< "1.250"
  share         ///< "43.8 %"
};
/// Name of the entry.
const char* to_string(Shown shown);

/// Definition of one column for text tables, CSV, JSON, pandas and pages.
template <class Row>
struct Column {
  std::string header;  ///< in text tables and on pages
  Shown shown = Shown::nowhere;
  std::function<CellValue(const Row&)> value;
  /// In CSV, JSON and pandas, with its unit; empty: only where people read. In JSON "load.max" is
  /// the member `max` of `load`.
  std::string key{};
  std::string group{};  ///< title above neighbouring columns of a text table; may be empty
};
template <class Row>
using Columns = std::vector<Column<Row>>;

/// The columns of `more` behind those of `columns`.
template <class Row>
Columns<Row> operator+(Columns<Row> columns, const Columns<Row>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

/// Head of a column of a text table.
struct ColumnHead {
  std::string header;
  Shown shown;
  std::string group;
};
/// Lays out a text table. `rows` hold a value for each head.
Table table_of(const std::vector<ColumnHead>& heads,
               const std::vector<std::vector<CellValue>>& rows);

/// Lays out one row as lines of a header and a value, without values that are missing.
Table facts_of(const std::vector<ColumnHead>& heads, const std::vector<CellValue>& values);

/// One line of CSV, with its end. A cell is quoted where it must be. A number is the shortest
/// decimal that reads back as the same.
std::string csv_line(std::span<const CellValue> cells);

/// The element of a range of rows, or of pointers to rows.
template <class Row>
const Row& row_of(const Row& row) {
  return row;
}
template <class Row>
const Row& row_of(const Row* row) {
  return *row;
}

/// The columns of a part of each row: `part` gives a pointer to it, null where it is missing.
template <class Row, class Part, class Get>
Columns<Row> columns_of_part(const Columns<Part>& columns, Get part) {
  Columns<Row> all;
  for (const Column<Part>& column : columns) {
    all.push_back({column.header, column.shown,
                   [value = column.value, part](const Row& row) {
                     const Part* const found = part(row);
                     return found != nullptr ? value(*found) : CellValue{};
                   },
                   column.key, column.group});
  }
  return all;
}

/// The text table of the columns that are shown.
template <class Row, class Rows>
Table text_table(const Columns<Row>& columns, const Rows& rows) {
  std::vector<ColumnHead> heads;
  std::vector<std::vector<CellValue>> cells(rows.size());
  for (const Column<Row>& column : columns) {
    if (column.shown != Shown::nowhere) {
      heads.push_back({column.header, column.shown, column.group});
      std::size_t place = 0;
      for (const auto& row : rows) {
        cells[place++].push_back(column.value(row_of(row)));
      }
    }
  }
  return table_of(heads, cells);
}

/// The shown columns of one row, one below the other; those without a value are left out.
template <class Row>
Table facts_table(const Columns<Row>& columns, const Row& row) {
  std::vector<ColumnHead> heads;
  std::vector<CellValue> values;
  for (const Column<Row>& column : columns) {
    if (column.shown != Shown::nowhere) {
      heads.push_back({column.header, column.shown, column.group});
      values.push_back(column.value(row));
    }
  }
  return facts_of(heads, values);
}

/// The keys of the columns that have one, and a line for every row.
template <class Row, class Rows>
std::string csv_table(const Columns<Row>& columns, const Rows& rows) {
  std::vector<CellValue> cells;
  const auto add_line = [&](std::string& csv, auto value) {
    cells.clear();
    for (const Column<Row>& column : columns) {
      if (!column.key.empty()) {
        cells.push_back(value(column));
      }
    }
    csv += csv_line(cells);
  };
  std::string csv;
  add_line(csv, [](const Column<Row>& column) { return CellValue{column.key}; });
  for (const auto& row : rows) {
    add_line(csv, [&](const Column<Row>& column) { return column.value(row_of(row)); });
  }
  return csv;
}

/// One cell of a table on a page, with what the page must know of its column.
struct PageCell {
  std::string key;
  std::string title;
  Shown shown;
  CellValue value;
};
/// The cells of the columns that are shown and have a key.
template <class Row>
std::vector<PageCell> page_cells(const Columns<Row>& columns, const Row& row) {
  std::vector<PageCell> cells;
  for (const Column<Row>& column : columns) {
    if (column.shown != Shown::nowhere && !column.key.empty()) {
      cells.push_back({column.key,
                       column.group.empty() ? column.header : column.header + " " + column.group,
                       column.shown, column.value(row)});
    }
  }
  return cells;
}

/// Adds the values of a row to a JSON object, by key.
template <class Json, class Row>
void add_members(Json& json, const Columns<Row>& columns, const Row& row) {
  for (const Column<Row>& column : columns) {
    if (!column.key.empty()) {
      Json* place = &json;
      for (std::size_t begin = 0, dot = 0; dot != std::string::npos; begin = dot + 1) {
        dot = column.key.find('.', begin);
        place = &(*place)[column.key.substr(begin, dot - begin)];
      }
      *place = column.value(row);
    }
  }
}
/// The values of rows as a list of JSON objects.
template <class Json, class Row, class Rows>
Json json_rows(const Columns<Row>& columns, const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) {
    add_members(list.emplace_back(Json::object()), columns, row_of(row));
  }
  return list;
}

}  // namespace dcube
