#include "sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "app/terminal/readable.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"

namespace dcube::app {
namespace {

constexpr const char* bytes_option = "--bytes";
constexpr std::size_t most_sizes = 1000;

std::uint64_t read_size(std::string_view text) {
  const std::uint64_t bytes = at_place(bytes_option, [&] { return parse_size(text); });
  refuse_if(bytes == 0, bytes_option, "{} is not a size (at least 1 byte)", text);
  return bytes;
}

/// Of "x4".
std::uint64_t read_factor(std::string_view text) {
  const auto factor = parsed<std::uint64_t>(text.starts_with('x') ? text.substr(1) : "");
  refuse_if(factor.value_or(0) < 2, bytes_option, "{} is not the step of a range (x2, x4, ..)",
            text);
  return *factor;
}

void add_range(std::string_view text, std::uint64_t grain, std::set<std::uint64_t>& sizes) {
  const std::size_t first = text.find(':');
  const std::size_t second = std::min(text.find(':', first + 1), text.size());
  const std::uint64_t least = read_size(text.substr(0, first));
  const std::uint64_t most = read_size(text.substr(first + 1, second - first - 1));
  const std::uint64_t factor = second < text.size() ? read_factor(text.substr(second + 1)) : 2;
  refuse_if(least > most, bytes_option, "{} is an empty range (LEAST:MOST, as 1KiB:1GiB)", text);
  for (std::uint64_t bytes = least;; bytes *= factor) {
    sizes.insert((bytes + grain - 1) / grain * grain);
    if (bytes > most / factor) {
      return;
    }
  }
}

}  // namespace

std::vector<std::uint64_t> collective_sizes(std::span<const std::string> texts,
                                            std::uint64_t grain) {
  std::set<std::uint64_t> sizes;
  for (const std::string& text : texts) {
    if (text.find(':') != std::string::npos) {
      add_range(text, grain, sizes);
      continue;
    }
    const std::uint64_t bytes = read_size(text);
    refuse_if(bytes % grain != 0, bytes_option, "{} is not a multiple of {}; {} is", text,
              counted(grain, "byte"), (bytes + grain - 1) / grain * grain);
    sizes.insert(bytes);
  }
  refuse_if(sizes.size() > most_sizes, bytes_option, "{} are too many (at most {})",
            counted(sizes.size(), "size"), grouped(most_sizes));
  return {sizes.begin(), sizes.end()};
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  double scaled = static_cast<double>(bytes);
  while (scaled >= 1024 && unit + 1 < units.size()) {
    scaled /= 1024;
    ++unit;
  }
  const bool is_whole = bytes % (std::uint64_t{1} << (10 * unit)) == 0;
  const int decimals = is_whole || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", scaled, decimals, units.at(unit));
}

}  // namespace dcube::app
