#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
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

/// Reads comma-separated numbers, one row per line; a first line of words names the columns, in any
/// order, and blank lines do not count. `names`: those of all columns, of which the last ones may
/// be missing; the table has them in this order. Throws InputError at `place`, the setting that
/// names the file, when the file cannot be read, has no numbers, other columns, a row of another
/// length than the first, or a field that is not a finite number or is refused.
NumberTable read_number_file(const std::filesystem::path& file, std::string_view place,
                             std::initializer_list<std::string_view> names,
                             LargeNumbers large_numbers = LargeNumbers::rounded);

/// The samples of the first channel of a WAV file; full scale is 1. Throws InputError at `place`,
/// the setting that names the file, when it is unreadable, cut short, empty or not finite.
std::vector<double> read_sound_file(const std::filesystem::path& file, std::string_view place);

/// Whether the name ends in .wav or .wave, in either case.
bool is_sound_file(const std::filesystem::path& file);

}  // namespace dcube
