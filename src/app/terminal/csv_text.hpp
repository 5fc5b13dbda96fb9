#pragma once

#include <optional>
#include <string>

namespace dcube::app {

/// `text` as a cell of a CSV file, quoted where it must be.
std::string csv_cell(const std::string& text);
/// The shortest decimal that reads back as the same number; empty for nothing.
std::string csv_number(std::optional<double> number);

}  // namespace dcube::app
