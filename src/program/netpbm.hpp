#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dcube {

/// Goes through the text of a Netpbm picture (PBM, PGM) behind the two letters that say what it is.
/// White space and comments, which run from # to the end of the line, separate numbers and are
/// skipped.
class NetpbmScanner {
 public:
  explicit NetpbmScanner(std::string_view text) : rest_{text} {}

  /// Whether nothing but white space and comments is left.
  bool is_at_end();
  /// The next number; nothing, and no step forward, when something else comes next, or a number of
  /// more than ten digits.
  std::optional<std::uint64_t> next_number();
  /// The next letter; not at the end.
  char next_letter();
  /// What follows the single white space behind the last number of a header.
  std::string_view raster() const { return rest_.substr(rest_.empty() ? 0 : 1); }

 private:
  std::string_view rest_;
};

/// White space, as Netpbm has it.
bool is_netpbm_space(char letter);

}  // namespace dcube
