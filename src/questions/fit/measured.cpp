#include "measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/csv_columns.hpp"
#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"

namespace dcube {
namespace {

constexpr std::string_view measured_blanks = " \t\r\v\f\"";

/// Words for units of time in the names of columns.
struct TimeWord {
  std::string_view word;
  std::string_view unit;
};
constexpr std::array<TimeWord, 14> time_words{{{"ps", "ps"},
                                               {"ns", "ns"},
                                               {"nsec", "ns"},
                                               {"us", "us"},
                                               {"usec", "us"},
                                               {"usecs", "us"},
                                               {"microseconds", "us"},
                                               {"ms", "ms"},
                                               {"msec", "ms"},
                                               {"milliseconds", "ms"},
                                               {"s", "s"},
                                               {"sec", "s"},
                                               {"secs", "s"},
                                               {"seconds", "s"}}};

/// Words of columns of times, the likeliest first.
constexpr std::array<std::string_view, 8> words_of_times{
    "time", "latency", "duration", "elapsed", "median", "mean", "avg", "average"};

/// A column that may be the one of times.
struct TimeColumn {
  std::size_t column;
  std::string_view unit;  ///< empty: cells have units
  std::size_t rank;       ///< in words_of_times; their number: in none
};

/// "median_us", "Latency (us)", "time"; nothing for other columns.
std::optional<TimeColumn> time_column(std::string_view name, std::size_t column) {
  const std::string lower = lower_case(name);
  const std::string_view text = trimmed(lower, " ()[]");
  const std::size_t break_at = text.find_last_of("_ ([");
  const std::string_view last =
      break_at == std::string_view::npos ? std::string_view{} : text.substr(break_at + 1);
  const auto unit = std::ranges::find(time_words, last, &TimeWord::word);
  const bool has_unit = unit != time_words.end();
  const auto word = std::ranges::find_if(words_of_times, [&](std::string_view known) {
    return has_unit ? text.find(known) != std::string_view::npos : text == known;
  });
  if (!has_unit && word == words_of_times.end()) {
    return std::nullopt;
  }
  return TimeColumn{column, has_unit ? unit->unit : std::string_view{},
                    static_cast<std::size_t>(word - words_of_times.begin())};
}

/// Names of columns, dcube's first.
struct ColumnWord {
  std::string_view word;
  std::string_view column;
};
constexpr std::array<ColumnWord, 26> column_words{{{"collective", "collective"},
                                                   {"operation", "collective"},
                                                   {"benchmark", "collective"},
                                                   {"algorithm", "algorithm"},
                                                   {"algo", "algorithm"},
                                                   {"size", "size"},
                                                   {"bytes", "size"},
                                                   {"buffer_bytes", "size"},
                                                   {"size_bytes", "size"},
                                                   {"message_size", "size"},
                                                   {"msg_size", "size"},
                                                   {"message", "size"},
                                                   {"machine", "machine"},
                                                   {"network", "machine"},
                                                   {"topology", "machine"},
                                                   {"processes", "processes"},
                                                   {"ranks", "processes"},
                                                   {"nranks", "processes"},
                                                   {"np", "processes"},
                                                   {"from", "from"},
                                                   {"to", "to"},
                                                   {"ports", "/program/ports"},
                                                   {"root", "/program/root"},
                                                   {"segment", "/program/segment"},
                                                   {"segment_bytes", "/program/segment"},
                                                   {"embedding", "/embedding"}}};

/// dcube's name of a column, or its pointer; empty where there is none.
std::string column_of(std::string_view name) {
  if (name.starts_with('/')) {
    return scenario_pointer(name);
  }
  const auto word = std::ranges::find(column_words, lower_case(name), &ColumnWord::word);
  return word == column_words.end() ? std::string{} : std::string{word->column};
}

std::vector<std::string_view> measured_cells(const CellSeparator& separator,
                                             std::string_view line) {
  return mapped(separator.cells(line),
                [](std::string_view cell) { return trimmed(cell, measured_blanks); });
}

TimeColumn chosen_time_column(const std::vector<std::string_view>& names, std::string_view wanted,
                              const std::string& place) {
  if (!wanted.empty()) {
    const auto named = std::ranges::find(names, wanted);
    refuse_if(
        named == names.end(), place, "there is no column `{}`, which `.time` names{}", wanted,
        nearest_name_hint(wanted, mapped(names, [](auto name) { return std::string{name}; })));
    const auto column = static_cast<std::size_t>(named - names.begin());
    return time_column(wanted, column).value_or(TimeColumn{column, {}, 0});
  }
  std::vector<TimeColumn> candidates;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (const auto time = time_column(names[column], column)) {
      candidates.push_back(*time);
    }
  }
  refuse_if(candidates.empty(), place,
            "no column is one of times (call it time_us or time_s, or name it in `.time`)");
  const auto best = std::ranges::min_element(candidates, {}, &TimeColumn::rank);
  refuse_if(std::ranges::count(candidates, best->rank, &TimeColumn::rank) > 1, place,
            "several columns may be the one of times: {} (name one in `.time`)",
            joined(candidates, ", ", [&](const TimeColumn& time) { return names[time.column]; }));
  return *best;
}

void read_number(MeasuredRow& row, std::string_view column, std::string_view cell,
                 std::uint64_t& number) {
  if (const auto read = parsed<std::uint64_t>(cell)) {
    number = *read;
  } else {
    row.problem = fmt::format("{} is no whole number ({})", shown(cell), column);
  }
}

MeasuredFile read_table(std::string_view text, const std::string& file, std::string_view time) {
  MeasuredFile measured;
  std::vector<std::string_view> names;
  std::vector<std::string> columns;
  std::optional<CellSeparator> separator;
  std::optional<TimeColumn> times;
  std::size_t number = 0;
  for (const std::string_view line : measured_lines(text)) {
    ++number;
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) {
      continue;
    }
    const std::string place = fmt::format("{}: line {}", file, number);
    if (!separator) {
      separator.emplace(line, "\t;,");
      names = measured_cells(*separator, line);
      times = chosen_time_column(names, time, place);
      columns = mapped(names, column_of);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (columns[i].empty() && i != times->column) {
          measured.unused.emplace_back(names[i]);
        }
        refuse_if(!columns[i].empty() && std::ranges::count(columns, columns[i]) > 1, place,
                  "two columns say the same: {} (`{}`)", columns[i], names[i]);
      }
      continue;
    }
    MeasuredRow row{.place = place};
    const std::vector<std::string_view> found = measured_cells(*separator, line);
    if (found.size() != names.size()) {
      row.problem = fmt::format("{} cells where the first line has {}", found.size(), names.size());
    } else {
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (i == times->column) {
          refuse_if(times->unit.empty() && decimal_length(found[i]) == found[i].size() &&
                        !found[i].empty(),
                    place, "{} has no unit (call the column {}_us, or write {}us)", found[i],
                    names[i], found[i]);
          take_measured_time(row, found[i], times->unit);
        } else if (!columns[i].empty()) {
          take_measured_cell(row, names[i], found[i]);
        }
      }
    }
    measured.rows.push_back(std::move(row));
  }
  refuse_if(!separator, file,
            "is empty (its first line names the columns, such as: collective "
            "algorithm size time_us)");
  return measured;
}

}  // namespace

std::string scenario_pointer(std::string_view pointer) {
  for (const std::string_view own : {"/machine", "/program", "/embedding"}) {
    if (pointer == own || (pointer.starts_with(own) && pointer[own.size()] == '/')) {
      return std::string{pointer};
    }
  }
  return fmt::format("/machine{}", pointer);
}

std::vector<std::string_view> measured_lines(std::string_view text) {
  return mapped(split_at(text, '\n'), [](std::string_view line) { return trimmed(line, "\r"); });
}

std::string measured_operation(std::string_view word) {
  std::string name = lower_case(word);
  std::erase_if(name, [](char c) { return c == '-' || c == '_' || c == ' '; });
  if (name == "bcast") {
    return "broadcast";
  }
  for (const std::string_view other : {"latency", "p2p", "pingpong", "sendrecv"}) {
    if (name == other) {
      return MeasuredRow::ping_pong;
    }
  }
  return name;
}

bool take_measured_cell(MeasuredRow& row, std::string_view name, std::string_view cell) {
  const std::string column = column_of(name);
  if (column.empty()) {
    return false;
  }
  if (cell.empty() || !row.problem.empty()) {
    return true;
  }
  if (column == "collective") {
    row.operation = measured_operation(cell);
  } else if (column == "algorithm") {
    row.algorithm = cell;
  } else if (column == "machine") {
    row.network = cell;
  } else if (column == "size") {
    try {
      row.bytes = parse_size(cell);
    } catch (const InputError& error) {
      row.problem = error.problem();
    }
  } else if (column == "processes") {
    read_number(row, column, cell, row.processes.emplace());
  } else if (column == "from" || column == "to") {
    read_number(row, column, cell, column == "from" ? row.from : row.to);
  } else {
    row.settings.emplace_back(column, cell);
  }
  return true;
}

void take_measured_time(MeasuredRow& row, std::string_view cell, std::string_view unit) {
  try {
    const std::string text = unit.empty() ? std::string{cell} : fmt::format("{}{}", cell, unit);
    row.seconds = decimal_length(cell) > 0 ? parse_duration(text).seconds() : 0;
  } catch (const InputError&) {
    row.seconds = 0;
  }
  if (!(row.seconds > 0) && row.problem.empty()) {
    row.problem = fmt::format("{} is not a time (positive, in ps, ns, us, ms or s)", shown(cell));
  }
}

MeasuredFile read_measured(const std::string& file, std::string_view time,
                           std::span<const std::string> columns) {
  const std::string text = at_least_at(".measured", [&] { return file_text(file); });
  const std::optional<MeasuredFile> printed = read_benchmark(text, file);
  MeasuredFile measured = printed ? *printed : read_table(text, file, time);
  measured.is_printed = printed.has_value();
  refuse_if(measured.rows.empty(), file, "has a head, and no times below it");
  for (const std::string& column : columns) {
    const std::size_t end = column.find('=');
    refuse_if(end == std::string::npos || end == 0, ".columns",
              "{} is not a column with its value (such as algorithm=ring)", shown(column));
    const std::string_view name = std::string_view{column}.substr(0, end);
    refuse_if(column_of(name).empty(), ".columns", "`{}` is no column{}", name,
              nearest_name_hint(name, mapped(column_words, [](const ColumnWord& word) {
                                  return std::string{word.word};
                                })));
    for (MeasuredRow& row : measured.rows) {
      MeasuredRow given;
      take_measured_cell(given, name, std::string_view{column}.substr(end + 1));
      refuse_if(!given.problem.empty(), ".columns", "{}", given.problem);
      row.operation = row.operation.empty() ? given.operation : row.operation;
      row.algorithm = row.algorithm.empty() ? given.algorithm : row.algorithm;
      row.network = row.network.empty() ? given.network : row.network;
      row.bytes = row.bytes ? row.bytes : given.bytes;
      row.processes = row.processes ? row.processes : given.processes;
      if (column_of(name) == "from") {
        row.from = given.from;
      } else if (column_of(name) == "to") {
        row.to = given.to;
      }
      for (const auto& setting : given.settings) {
        if (std::ranges::find(row.settings, setting.first,
                              &std::pair<std::string, std::string>::first) == row.settings.end()) {
          row.settings.push_back(setting);
        }
      }
    }
  }
  return measured;
}

}  // namespace dcube
