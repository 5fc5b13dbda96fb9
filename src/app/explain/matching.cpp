#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "complaints.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"

namespace dcube::app {
namespace {

std::vector<std::string_view> split_by(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + separator.size());
  }
}

/// Letters of the fixed words of `pattern` if `message` has them in this order, otherwise 0.
std::size_t matched_letters(std::string_view pattern, std::string_view message) {
  std::size_t letters = 0;
  for (const std::string_view fixed : split_by(pattern, "..")) {
    const std::size_t position = message.find(lower_case(fixed));
    if (position == std::string_view::npos) {
      return 0;
    }
    message.remove_prefix(position + fixed.size());
    letters += fixed.size();
  }
  return letters;
}

/// `message` in lower case with one blank between words, also where a terminal broke its line.
std::string in_one_line(std::string_view message) {
  std::string line{message};
  std::ranges::replace(line, '\n', ' ');
  return lower_case(joined(blank_separated(line), " "));
}

/// Words of four letters and more.
std::set<std::string> long_words(std::string_view text) {
  constexpr std::size_t least = 4;
  std::set<std::string> words;
  std::string word;
  for (const char c : lower_case(text) + " ") {
    if (c >= 'a' && c <= 'z') {
      word += c;
    } else if (const std::string whole = std::exchange(word, {}); whole.size() >= least) {
      words.insert(whole);
    }
  }
  return words;
}

/// Letters of the words that both have.
std::size_t shared_letters(const Complaint& complaint, const std::set<std::string>& words) {
  std::size_t letters = 0;
  for (const std::string& word :
       long_words(fmt::format("{} {}", complaint.code, complaint.messages))) {
    letters += words.contains(word) ? word.size() : 0;
  }
  return letters;
}

}  // namespace

const Complaint* complaint_of(std::string_view message) {
  const std::string line = in_one_line(message);
  const Complaint* found = nullptr;
  std::size_t most = 0;
  for (const Complaint& complaint : complaints()) {
    for (const std::string_view pattern : split_by(complaint.messages, " | ")) {
      if (const std::size_t letters = matched_letters(pattern, line); letters > most) {
        most = letters;
        found = &complaint;
      }
    }
  }
  return found;
}

std::vector<const Complaint*> nearest_complaints(std::string_view message, std::size_t most) {
  const std::set<std::string> words = long_words(message);
  std::vector<std::pair<std::size_t, const Complaint*>> alike;
  for (const Complaint& complaint : complaints()) {
    if (const std::size_t letters = shared_letters(complaint, words); letters > 0) {
      alike.emplace_back(letters, &complaint);
    }
  }
  keep_greatest(alike, most, [](const auto& one) { return one.first; });
  return mapped(alike, [](const auto& one) { return one.second; });
}

}  // namespace dcube::app
