#include "number_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "core/decimal.hpp"
#include "core/input_file.hpp"
#include "core/mapped.hpp"
#include "core/scanner.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Whether the field is a word for a non-finite number, which cannot name a column.
bool is_not_finite(std::string_view field) {
  constexpr std::array<std::string_view, 3> words{"nan", "inf", "infinity"};
  if (field.starts_with('-') || field.starts_with('+')) {
    field.remove_prefix(1);
  }
  return std::ranges::find(words, lower_case(field)) != words.end();
}

/// Whether `value` equals the digits that it was read from.
bool is_exact(std::string_view digits, double value) {
  digits.remove_prefix(std::min(digits.find_first_not_of("-0"), digits.size() - 1));
  return digits == fmt::format("{:.0f}", std::abs(value));
}

bool is_whole_number(std::string_view field) {
  return field.find_first_not_of("-0123456789") == std::string_view::npos;
}

std::string_view without_plus(std::string_view field) {
  return field.substr(field.starts_with('+') ? 1 : 0);
}

std::string_view unquoted(std::string_view field) {
  const bool is_quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return is_quoted ? field.substr(1, field.size() - 2) : field;
}

bool is_header(const std::vector<std::string_view>& fields) {
  return std::ranges::all_of(fields, [](std::string_view field) {
    return !field.empty() && decimal_length(without_plus(field)) == 0 && !is_not_finite(field);
  });
}

/// Builds a table from the lines of a file.
class TableReader : public RejectsIf<TableReader> {
 public:
  TableReader(const std::filesystem::path& file, std::string_view text, std::string_view place,
              std::initializer_list<std::string_view> names, LargeNumbers large_numbers)
      : scanner_{text, file.string()},
        place_{place},
        names_{names},
        large_numbers_{large_numbers} {}

  NumberTable read() {
    while (scanner_.next_line()) {
      take(mapped(split_at(scanner_.line(), ','),
                  [](std::string_view field) { return trimmed(field); }));
    }
    refuse_if(table_.values.empty(), place_, "{} holds no numbers", scanner_.file());
    return std::move(table_);
  }

  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(place_, fmt::format("{} {}", scanner_.place(), problem));
  }

 private:
  void take(const std::vector<std::string_view>& fields) {
    const bool is_first = table_.columns == 0;
    check_width(fields.size());
    if (is_first && is_header(fields)) {
      find_columns(fields);
      return;
    }
    for (std::size_t column = 0; column < fields.size(); ++column) {
      table_.values.push_back(number(fields[cells_.empty() ? column : cells_[column]]));
    }
  }

  /// Finds the cell of each column in a line that names them.
  void find_columns(const std::vector<std::string_view>& fields) {
    const std::vector<std::string> words =
        mapped(fields, [](std::string_view field) { return lower_case(unquoted(field)); });
    for (const std::string_view name : std::span{names_}.first(fields.size())) {
      const auto found = std::ranges::find(words, name);
      reject_if(found == words.end(),
                "names no column `{}`; name the columns {}, or leave the line out", name,
                joined(names_, ","));
      cells_.push_back(static_cast<std::size_t>(found - words.begin()));
    }
  }

  void check_width(std::size_t width) {
    reject_if(width > names_.size(), "has {} fields; at most {} can be used", width, names_.size());
    if (table_.columns == 0) {
      table_.columns = width;
      first_line_ = scanner_.line_number();
    }
    reject_if(width != table_.columns, "has {} field{}, but line {} has {}", width,
              width == 1 ? "" : "s", first_line_, table_.columns);
  }

  double number(std::string_view field) const {
    reject_if(field.empty(), "has an empty field (a number is missing)");
    field = without_plus(field);
    if (decimal_length(field) != field.size()) {
      reject(fmt::format("has {}, not a finite number", shown(field)));
    }
    const std::optional<double> value = parsed<double>(field);
    if (!value) {
      reject(fmt::format("has {}, beyond double precision", shortened(field)));
    }
    if (large_numbers_ == LargeNumbers::refused && is_whole_number(field) &&
        !is_exact(field, *value)) {
      reject(
          fmt::format("has {}, which double precision cannot tell from its neighbours (whole "
                      "numbers up to 2^53 it can)",
                      shortened(field)));
    }
    return *value;
  }

  Scanner scanner_;
  std::string place_;
  std::vector<std::string_view> names_;  ///< of the columns
  std::vector<std::size_t> cells_;       ///< [column]: its field in a row; empty: in this order
  LargeNumbers large_numbers_;
  std::size_t first_line_ = 0;  ///< first line that is not blank
  NumberTable table_;
};

}  // namespace

NumberTable read_number_file(const std::filesystem::path& file, std::string_view place,
                             std::initializer_list<std::string_view> names,
                             LargeNumbers large_numbers) {
  const std::string text = read_input_file(file, place);
  return TableReader{file, text, place, names, large_numbers}.read();
}

}  // namespace dcube
