#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dcube {

/// Goes through the text of a Netpbm picture (PBM, PGM) after the two letters of its format. White
/// space separates numbers, as do comments, which run from # to the end of the line.
class NetpbmScanner {
 public:
  explicit NetpbmScanner(std::string_view text) : rest_{text} {}

  /// Whether nothing but white space and comments is left.
  bool is_at_end();
  /// The next number. Nothing, without a step forward, when something else comes next, or a number
  /// of more than ten digits.
  std::optional<std::uint64_t> next_number();
  /// The next letter. Needs that the text does not end here.
  char next_letter();
  /// What follows the single white space behind the last number of a header.
  std::string_view raster() const { return rest_.substr(rest_.empty() ? 0 : 1); }

 private:
  std::string_view rest_;
};

/// White space, as Netpbm has it.
bool is_netpbm_space(char letter);

}  // namespace dcube
