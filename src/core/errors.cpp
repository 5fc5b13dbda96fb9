#include "dcube/core/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "printable.hpp"

namespace dcube {
namespace {

/// Long enough for every complaint and path of dcube's own, short enough for a terminal.
constexpr std::size_t most_bytes = 2000;

std::string one_line(std::string_view text) { return shortened(printable(text), most_bytes); }

std::string one_line_place(std::string_view place) {
  if (place.ends_with(": ")) {
    place.remove_suffix(2);
  }
  if (place.starts_with(": ")) {  // a key of a document that is no file
    place.remove_prefix(2);
  }
  return one_line(place);
}

std::string complaint(const std::string& place, const std::string& problem) {
  return place.empty() ? problem : place + ": " + problem;
}

/// Letters to insert, drop or replace and neighbours to swap to turn one word into the other
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
        row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
      }
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

/// Length of the longest text that both words contain.
std::size_t longest_common_part(std::string_view a, std::string_view b) {
  std::size_t longest = 0;
  std::vector<std::size_t> last(b.size() + 1);  // common letters that end here
  for (const char letter : a) {
    for (std::size_t j = b.size(); j > 0; --j) {
      last[j] = letter == b[j - 1] ? last[j - 1] + 1 : 0;
      longest = std::max(longest, last[j]);
    }
  }
  return longest;
}

}  // namespace

InputError::InputError(std::string_view place, std::string_view problem)
    : std::runtime_error{complaint(one_line_place(place), one_line(problem))},
      place_{one_line_place(place)},
      problem_{one_line(problem)} {}

const std::string* nearest_name(std::string_view word, std::span<const std::string> names) {
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (const std::size_t distance = edit_distance(word, name); distance < least) {
      least = distance;
      nearest = &name;
    }
  }
  return nearest;
}

std::string nearest_name_hint(std::string_view word, std::span<const std::string> names) {
  if (names.empty()) {
    return "";
  }
  if (const std::string* const nearest = nearest_name(word, names)) {
    return fmt::format("; did you mean `{}`?", *nearest);
  }
  constexpr std::size_t most_names = 24;  // as many as a person reads
  if (names.size() <= most_names) {
    return fmt::format("; known: {}", joined(names, ", "));
  }
  constexpr std::size_t few = 4;
  std::vector<std::string> nearest_first{names.begin(), names.end()};
  std::ranges::stable_sort(nearest_first, {}, [&](const std::string& name) {
    return std::pair{word.size() - longest_common_part(word, name), edit_distance(word, name)};
  });
  nearest_first.resize(few);
  return fmt::format("; the nearest of {}: {}", names.size(), joined(nearest_first, ", "));
}

}  // namespace dcube
