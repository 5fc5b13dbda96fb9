#pragma once

#include <stddef.h>
#include <stdint.h>

// Data that the module dcube-sqlite gets from the program: tables as plain values, so that the
// module fits any build of the program. The name of its function carries their version.

extern "C" {

struct DcubeSqliteCell {
  enum Kind { nothing, integer, real, text } kind;
  int64_t whole;
  double number;
  const char* letters;  ///< ends with a 0
};

struct DcubeSqliteTable {
  const char* create;  ///< SQL
  const char* insert;  ///< SQL with a ? for each column
  size_t columns;
  size_t rows;
  const DcubeSqliteCell* cells;  ///< row by row
};

/// Makes a database of tables and gives the bytes of its file to `take`.
/// Returns 0, or writes a text to `problem`.
using DcubeSqliteFunction = int (*)(const DcubeSqliteTable* tables, size_t count,
                                    void (*take)(void* to, const char* bytes, size_t size),
                                    void* to, char* problem, size_t problem_size);
}
