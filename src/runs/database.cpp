#include "dcube/runs/database.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/workload/module.hpp"
#include "modules/sqlite_records.hpp"

namespace dcube {
namespace {

using Cell = DcubeSqliteCell;

/// A table on its way into a database; it keeps the texts of its cells.
class DatabaseTable {
 public:
  struct Column {
    std::string name;
    const char* type;
  };

  DatabaseTable(const std::string& name, const std::vector<Column>& columns)
      : columns_{columns.size()} {
    create_ =
        fmt::format("CREATE TABLE {} ({})", name, joined(columns, ", ", [](const Column& column) {
                      return fmt::format("{} {}", in_quotes(column.name), column.type);
                    }));
    insert_ = fmt::format("INSERT INTO {} VALUES ({})", name,
                          joined(columns, ", ", [](const Column&) { return "?"; }));
  }

  void add(const CellValue& value) {
    const auto* const whole = std::get_if<std::uint64_t>(&value);
    if (whole != nullptr && std::in_range<std::int64_t>(*whole)) {
      cells_.push_back({Cell::integer, static_cast<std::int64_t>(*whole), 0, nullptr});
    } else if (whole != nullptr) {
      cells_.push_back({Cell::real, 0, static_cast<double>(*whole), nullptr});
    } else if (const auto* const number = std::get_if<double>(&value)) {
      cells_.push_back({Cell::real, 0, *number, nullptr});
    } else if (const auto* const text = std::get_if<std::string>(&value)) {
      texts_.push_back(*text);
      cells_.push_back({Cell::text, 0, 0, texts_.back().c_str()});
    } else {
      cells_.push_back({Cell::nothing, 0, 0, nullptr});
    }
  }

  void add_row(std::initializer_list<std::string> texts) {
    std::ranges::for_each(texts, [this](const std::string& text) { add(text); });
  }

  DcubeSqliteTable table() const {
    return {create_.c_str(), insert_.c_str(), columns_, cells_.size() / columns_, cells_.data()};
  }

 private:
  std::string create_;
  std::string insert_;
  std::size_t columns_;
  std::deque<std::string> texts_;
  std::vector<Cell> cells_;
};

/// The type of a column, by its key where the values do not tell.
const char* type_of(const Column<RunRecord>& column) {
  return column.key == "run"             ? "INTEGER PRIMARY KEY"
         : column.key == "outcome"       ? "TEXT NOT NULL"
         : column.key == "key"           ? "TEXT NOT NULL UNIQUE"
         : column.key == "makespan_ps"   ? "INTEGER"
         : column.shown == Shown::figure ? "REAL"
                                         : "TEXT";
}

DatabaseTable runs_table(const StudyResults& results) {
  const Columns<RunRecord> columns = study_columns(results.study);
  DatabaseTable table{"runs", mapped(columns, [](const Column<RunRecord>& column) {
                        return DatabaseTable::Column{column.key, type_of(column)};
                      })};
  for (const RunRecord* const record : results.records) {
    for (std::size_t i = 0; record != nullptr && i < columns.size(); ++i) {
      const bool is_missing = columns[i].key == "problem" && record->problem.empty();
      table.add(is_missing ? CellValue{} : columns[i].value(*record));
    }
  }
  return table;
}

DcubeSqliteFunction database_module() {
  return reinterpret_cast<DcubeSqliteFunction>(load_module({.purpose = "write SQLite databases",
                                                            .file = "dcube-sqlite.so",
                                                            .function = "dcube_sqlite_2",
                                                            .packages = "libsqlite3-dev"}));
}

}  // namespace

bool expect_database_module() { return database_module() != nullptr; }

std::string study_database(const StudyResults& results) {
  const DcubeSqliteFunction function = database_module();
  const Study& study = results.study;
  const DatabaseTable runs = runs_table(results);
  DatabaseTable settings{"settings", {{"column", "TEXT PRIMARY KEY"}, {"pointer", "TEXT"}}};
  for (const StudySetting* const setting : study.settings()) {
    settings.add_row({setting->column, setting->pointer});
  }
  DatabaseTable measures{"measures",
                         {{"name", "TEXT PRIMARY KEY"}, {"unit", "TEXT"}, {"help", "TEXT"}}};
  for (const Measure& measure : measure_catalog()) {
    measures.add_row(
        {std::string{measure.name}, std::string{measure.unit}, std::string{measure.help}});
  }
  DatabaseTable about{"study", {{"key", "TEXT PRIMARY KEY"}, {"value", "TEXT"}}};
  about.add_row({"name", study.plan().name});
  about.add_row({"id", study.id()});
  about.add_row({"dcube", std::string{version()}});
  about.add_row({"runs", std::to_string(study.run_count())});
  about.add_row({"description", study.description()});
  const std::array tables{about.table(), settings.table(), measures.table(), runs.table()};
  std::string content;
  std::array<char, 256> problem{};
  const auto take = [](void* to, const char* bytes, std::size_t size) {
    static_cast<std::string*>(to)->assign(bytes, size);
  };
  const int error =
      function(tables.data(), tables.size(), take, &content, problem.data(), problem.size());
  refuse_if(error != 0, "", "no database can be made ({})", problem.data());
  return content;
}

}  // namespace dcube
