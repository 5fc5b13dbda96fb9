#include "number_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "core/decimal.hpp"
#include "core/input_file.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return fields;
}

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

bool is_header(const std::vector<std::string_view>& fields) {
  return std::ranges::all_of(fields, [](std::string_view field) {
    return !field.empty() && decimal_length(without_plus(field)) == 0 && !is_not_finite(field);
  });
}

/// Builds a table from the lines of a file.
class TableReader {
 public:
  TableReader(const std::filesystem::path& file, std::string_view place, std::size_t most_columns,
              LargeNumbers large_numbers)
      : file_{file.string()},
        place_{place},
        most_columns_{most_columns},
        large_numbers_{large_numbers} {}

  void take(std::string_view line) {
    ++line_number_;
    if (line_number_ == 1 && line.starts_with(byte_order_mark)) {
      line.remove_prefix(byte_order_mark.size());
    }
    if (trimmed(line).empty()) {
      return;
    }
    const std::vector<std::string_view> fields = fields_of(line);
    const bool is_first = table_.columns == 0;
    check_width(fields.size());
    if (is_first && is_header(fields)) {
      return;
    }
    for (const std::string_view field : fields) {
      table_.values.push_back(number(field));
    }
  }

  NumberTable table() && {
    if (table_.values.empty()) {
      throw InputError(place_, fmt::format("{} holds no numbers", file_));
    }
    return std::move(table_);
  }

 private:
  static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

  void check_width(std::size_t width) {
    if (width > most_columns_) {
      reject(fmt::format("has {} fields; at most {} can be used", width, most_columns_));
    }
    if (table_.columns == 0) {
      table_.columns = width;
      first_line_ = line_number_;
    } else if (width != table_.columns) {
      reject(fmt::format("has {} field{}, but line {} has {}", width, width == 1 ? "" : "s",
                         first_line_, table_.columns));
    }
  }

  double number(std::string_view field) const {
    if (field.empty()) {
      reject("has an empty field (a number is missing)");
    }
    field = without_plus(field);
    if (decimal_length(field) != field.size()) {
      reject(fmt::format("has {}, not a finite number", shown(field)));
    }
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
      reject(fmt::format("has {}, beyond double precision", shortened(field)));
    }
    if (large_numbers_ == LargeNumbers::refused && is_whole_number(field) &&
        !is_exact(field, value)) {
      reject(
          fmt::format("has {}, which double precision cannot tell from its neighbours (whole "
                      "numbers up to 2^53 it can)",
                      shortened(field)));
    }
    return value;
  }

  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(place_, fmt::format("{}: line {} {}", file_, line_number_, problem));
  }

  std::string file_;
  std::string place_;
  std::size_t most_columns_;
  LargeNumbers large_numbers_;
  std::size_t line_number_ = 0;
  std::size_t first_line_ = 0;  ///< first line that is not blank
  NumberTable table_;
};

}  // namespace

NumberTable read_number_file(const std::filesystem::path& file, std::string_view place,
                             std::size_t most_columns, LargeNumbers large_numbers) {
  const std::string text = read_input_file(file, place);
  TableReader reader{file, place, most_columns, large_numbers};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    reader.take(std::string_view{text}.substr(begin, end - begin));
    begin = end + 1;
  }
  return std::move(reader).table();
}

}  // namespace dcube
