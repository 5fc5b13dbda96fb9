#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace dcube {

/// Rows of finite numbers.
struct NumberTable {
  std::size_t columns = 0;     ///< numbers in every row, at least 1
  std::vector<double> values;  ///< row by row

  std::size_t row_count() const { return values.size() / columns; }
};

/// What happens to whole numbers, without point and exponent, that equal no double.
enum class LargeNumbers { rounded, refused };

/// Reads comma-separated numbers, one row per line; a first line of words names the columns, and
/// blank lines do not count. Throws InputError at `place`, the setting that names the file, when
/// the file cannot be read, has no numbers, a row of another length than the first or of more than
/// `most_columns`, or a field that is not a finite number or is refused.
NumberTable read_number_file(const std::filesystem::path& file, std::string_view place,
                             std::size_t most_columns,
                             LargeNumbers large_numbers = LargeNumbers::rounded);

/// The samples of the first channel of a WAV file; full scale is 1. Throws InputError at `place`,
/// the setting that names the file, when it is unreadable, cut short, empty or not finite.
std::vector<double> read_sound_file(const std::filesystem::path& file, std::string_view place);

/// Whether the name ends in .wav or .wave, in either case.
bool is_sound_file(const std::filesystem::path& file);

}  // namespace dcube
