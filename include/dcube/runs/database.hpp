#pragma once

#include <string>

#include "dcube/runs/tables.hpp"

namespace dcube {

/// Content of an SQLite database file: the table `runs` with a row for each run that is done and
/// the columns of study_csv(), `settings` and `measures`, which say what its columns are, and
/// `study`. Throws InputError without a place when the module dcube-sqlite is missing.
std::string study_database(const StudyResults& results);

/// Throws that InputError unless the module is there.
bool expect_database_module();

}  // namespace dcube
