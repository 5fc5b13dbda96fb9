#include "dcube/runs/database.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/runs/module.hpp"
#include "dcube/scenario/result_json.hpp"
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

  void add() { cells_.push_back({Cell::nothing, 0, 0, nullptr}); }
  void add(std::int64_t whole) { cells_.push_back({Cell::integer, whole, 0, nullptr}); }
  void add(double number) { cells_.push_back({Cell::real, 0, number, nullptr}); }
  void add(std::string text) {
    texts_.push_back(std::move(text));
    cells_.push_back({Cell::text, 0, 0, texts_.back().c_str()});
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

DatabaseTable runs_table(const StudyResults& results) {
  const auto& settings = results.study.settings();
  std::vector<DatabaseTable::Column> columns{{"run", "INTEGER PRIMARY KEY"}};
  for (const StudySetting* const setting : settings) {
    columns.push_back({setting->column, setting->is_numeric() ? "REAL" : "TEXT"});
  }
  columns.push_back({"outcome", "TEXT NOT NULL"});
  columns.push_back({"problem", "TEXT"});
  for (const Measure& measure : measure_catalog()) {
    columns.push_back({std::string{measure.name}, "REAL"});
  }
  columns.push_back({"makespan_ps", "INTEGER"});
  columns.push_back({"fingerprint", "TEXT"});
  columns.push_back({"key", "TEXT NOT NULL UNIQUE"});
  DatabaseTable table{"runs", columns};
  for (const RunRecord* const record : results.records) {
    if (record == nullptr) {
      continue;
    }
    table.add(static_cast<std::int64_t>(record->run));
    const auto values = results.study.values(record->run);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      if (settings[i]->is_numeric()) {
        table.add(*values[i]->number);
      } else {
        table.add(values[i]->text);
      }
    }
    table.add(to_string(record->outcome));
    if (record->problem.empty()) {
      table.add();
    } else {
      table.add(record->problem);
    }
    const bool has_values = !record->values.empty();
    for (std::size_t i = 0; i < measure_catalog().size(); ++i) {
      if (has_values && record->values[i]) {
        table.add(*record->values[i]);
      } else {
        table.add();
      }
    }
    if (has_values) {
      table.add(record->makespan.count());
      table.add(fmt::format("{:016x}", record->fingerprint));
    } else {
      table.add();
      table.add();
    }
    table.add(record->key);
  }
  return table;
}

DcubeSqliteFunction database_module() {
  return reinterpret_cast<DcubeSqliteFunction>(load_module({.purpose = "write SQLite databases",
                                                            .file = "dcube-sqlite.so",
                                                            .function = "dcube_sqlite_1",
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
    settings.add(setting->column);
    settings.add(setting->pointer);
  }
  DatabaseTable measures{"measures",
                         {{"name", "TEXT PRIMARY KEY"}, {"unit", "TEXT"}, {"help", "TEXT"}}};
  for (const Measure& measure : measure_catalog()) {
    measures.add(std::string{measure.name});
    measures.add(std::string{measure.unit});
    measures.add(std::string{measure.help});
  }
  DatabaseTable about{"study", {{"key", "TEXT PRIMARY KEY"}, {"value", "TEXT"}}};
  for (const auto& [key, value] : {std::pair<std::string, std::string>{"name", study.plan().name},
                                   {"id", study.id()},
                                   {"dcube", std::string{version()}},
                                   {"runs", std::to_string(study.run_count())},
                                   {"description", study.description()}}) {
    about.add(key);
    about.add(value);
  }
  const std::array tables{about.table(), settings.table(), measures.table(), runs.table()};
  std::string content;
  std::array<char, 256> problem{};
  const auto take = [](void* to, const char* bytes, std::size_t size) {
    static_cast<std::string*>(to)->assign(bytes, size);
  };
  const int error =
      function(tables.data(), tables.size(), "", take, &content, problem.data(), problem.size());
  refuse_if(error != 0, "", "no database can be made ({})", problem.data());
  return content;
}

}  // namespace dcube
