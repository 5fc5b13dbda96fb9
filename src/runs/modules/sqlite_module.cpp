// The only file that knows SQLite.

#include <sqlite3.h>

#include <cstdio>

#include "sqlite_records.hpp"

namespace {

int bind(sqlite3_stmt* statement, int column, const DcubeSqliteCell& cell) {
  switch (cell.kind) {
    case DcubeSqliteCell::integer:
      return sqlite3_bind_int64(statement, column, cell.whole);
    case DcubeSqliteCell::real:
      return sqlite3_bind_double(statement, column, cell.number);
    case DcubeSqliteCell::text:
      return sqlite3_bind_text(statement, column, cell.letters, -1, SQLITE_STATIC);
    default:
      return sqlite3_bind_null(statement, column);
  }
}

bool insert(sqlite3* database, const DcubeSqliteTable& table) {
  if (sqlite3_exec(database, table.create, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return false;
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, table.insert, -1, &statement, nullptr) != SQLITE_OK) {
    return false;
  }
  bool is_sound = true;
  for (size_t row = 0; row < table.rows && is_sound; ++row) {
    for (size_t column = 0; column < table.columns && is_sound; ++column) {
      is_sound = bind(statement, static_cast<int>(column + 1),
                      table.cells[row * table.columns + column]) == SQLITE_OK;
    }
    is_sound =
        is_sound && sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
  }
  return sqlite3_finalize(statement) == SQLITE_OK && is_sound;
}

bool fill(sqlite3* database, const DcubeSqliteTable* tables, size_t count) {
  bool is_sound = sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr) == SQLITE_OK;
  for (size_t i = 0; i < count && is_sound; ++i) {
    is_sound = insert(database, tables[i]);
  }
  return is_sound && sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int dcube_sqlite_2(
    const DcubeSqliteTable* tables, size_t count,
    void (*take)(void* to, const char* bytes, size_t size), void* to, char* problem,
    size_t problem_size) {
  sqlite3* database = nullptr;
  bool is_sound = sqlite3_open(":memory:", &database) == SQLITE_OK && fill(database, tables, count);
  sqlite3_int64 size = 0;
  unsigned char* bytes = is_sound ? sqlite3_serialize(database, "main", &size, 0) : nullptr;
  if (bytes == nullptr) {
    std::snprintf(problem, problem_size, "%s", sqlite3_errmsg(database));
  } else {
    take(to, reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    sqlite3_free(bytes);
  }
  sqlite3_close(database);
  return bytes == nullptr;
}
