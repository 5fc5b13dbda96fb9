#pragma once

#include <string>

#include "dcube/runs/tables.hpp"

namespace dcube {

/// What the file of an SQLite database holds: the table `runs` with a row for each run that is done
/// and the columns of study_csv(), `settings` and `measures`, which say what its columns are, and
/// `study`. Throws InputError without a place when the module dcube-sqlite is missing.
std::string study_database(const StudyResults& results);

/// Throws that unless the module is there.
bool expect_database_module();

}  // namespace dcube
