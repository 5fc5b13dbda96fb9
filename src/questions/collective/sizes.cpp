#include "sizes.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"

namespace dcube {
namespace {

constexpr const char* bytes_field = ".bytes";
constexpr std::size_t most_sizes = 1000;

std::uint64_t read_size(std::string_view text) {
  const std::uint64_t bytes = at_place(bytes_field, [&] { return parse_size(text); });
  refuse_if(bytes == 0, bytes_field, "{} is not a size (at least 1 byte)", text);
  return bytes;
}

/// The factor in "x4".
std::uint64_t read_factor(std::string_view text) {
  const auto factor = parsed<std::uint64_t>(text.starts_with('x') ? text.substr(1) : "");
  refuse_if(factor.value_or(0) < 2, bytes_field, "{} is not the step of a range (x2, x4, ..)",
            text);
  return *factor;
}

void add_range(std::string_view text, std::uint64_t grain, std::set<std::uint64_t>& sizes) {
  const std::size_t first = text.find(':');
  const std::size_t second = std::min(text.find(':', first + 1), text.size());
  const std::uint64_t least = read_size(text.substr(0, first));
  const std::uint64_t most = read_size(text.substr(first + 1, second - first - 1));
  const std::uint64_t factor = second < text.size() ? read_factor(text.substr(second + 1)) : 2;
  refuse_if(least > most, bytes_field, "{} is an empty range (LEAST:MOST, as 1KiB:1GiB)", text);
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
    refuse_if(bytes % grain != 0, bytes_field, "{} is not a multiple of {}; {} is", text,
              counted(grain, "byte"), (bytes + grain - 1) / grain * grain);
    sizes.insert(bytes);
  }
  refuse_if(sizes.size() > most_sizes, bytes_field, "{} are too many (at most {})",
            counted(sizes.size(), "size"), grouped(most_sizes));
  return {sizes.begin(), sizes.end()};
}

}  // namespace dcube
