#include "goal_reader.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "balance.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "core/text_window.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/growing_array.hpp"
#include "label_table.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

/// The words of a text without its comments. Braces and colons are words of their own. A word is
/// gone when the next one is looked at.
class GoalWords {
 public:
  GoalWords(TextWindow text, std::string file) : text_{std::move(text)}, file_{std::move(file)} {}

  /// The next word without taking it; empty at the end.
  std::string_view peek() {
    if (!has_word_) {
      read();
    }
    return word_;
  }
  std::string_view take() {
    const std::string_view word = peek();
    has_word_ = false;
    return word;
  }
  /// Inlined, the compiler knows how many characters it compares.
  [[gnu::always_inline]] bool take_if(std::string_view wanted) {
    if (peek() != wanted) {
      return false;
    }
    take();
    return true;
  }
  void expect(std::string_view wanted) {
    if (!take_if(wanted)) {
      reject(fmt::format("{} stands where `{}` is expected", shown(peek()), wanted));
    }
  }
  std::int64_t whole(std::string_view what, std::int64_t least, std::int64_t most) {
    return whole_in(peek(), what, least, most);
  }
  /// "64b".
  std::uint64_t size() {
    const std::string_view word = peek();
    if (!word.ends_with('b')) {
      reject(fmt::format("{} is not a size (a whole number followed by b: 64b)", shown(word)));
    }
    constexpr std::int64_t most = std::int64_t{1} << 62;
    return static_cast<std::uint64_t>(whole_in(word.substr(0, word.size() - 1), "a size", 0, most));
  }

  std::size_t line() {
    peek();
    return word_line_;
  }
  [[noreturn]] void reject(std::string_view problem) { reject_at(line(), problem); }
  [[noreturn]] void reject_at(std::size_t line, std::string_view problem) const {
    throw InputError(fmt::format("{}: line {}", file_, line), problem);
  }
  static std::string shown(std::string_view word) {
    return word.empty() ? "the end of the file" : printable(shortened(word));
  }
  bool has_letters(std::uint64_t count) { return text_.has_bytes(count); }
  const std::string& file() const { return file_; }

 private:
  /// Takes the word.
  std::int64_t whole_in(std::string_view word, std::string_view what, std::int64_t least,
                        std::int64_t most) {
    const auto value = parsed<std::int64_t>(word);
    if (!value || *value < least || *value > most) {
      reject(fmt::format("{} is not {} ({} to {})", shown(peek()), what, least, most));
    }
    has_word_ = false;
    return *value;
  }

  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool is_alone(char c) { return c == '{' || c == '}' || c == ':'; }
  /// What a character may end a word with: a blank, a word of its own, perhaps a comment.
  static bool may_end_word(char c) { return is_blank(c) || is_alone(c) || c == '/'; }
  /// Of a slash so far from the begin of what is held.
  bool begins_comment(std::size_t slash) {
    if (text_.begin() + slash + 1 == text_.end() && !text_.extend()) {
      return false;
    }
    const char next = text_.begin()[slash + 1];
    return next == '/' || next == '*';
  }

  /// To the next word.
  void skip() {
    while (!text_.is_over()) {
      const char* at = text_.begin();
      while (at != text_.end() && is_blank(*at)) {
        line_ += *at == '\n' ? 1 : 0;
        ++at;
      }
      text_.take(static_cast<std::size_t>(at - text_.begin()));
      if (at == text_.end()) {
        continue;
      }
      if (*at != '/' || !begins_comment(0)) {
        return;
      }
      skip_comment();
    }
  }
  void skip_comment() {
    if (text_.begin()[1] == '/') {
      text_.take_until('\n');
      return;
    }
    const std::size_t first_line = line_;
    text_.take(2);
    for (char before = '\0'; !text_.is_over();) {
      const char letter = *text_.begin();
      text_.take(1);
      if (before == '*' && letter == '/') {
        return;
      }
      line_ += letter == '\n' ? 1 : 0;
      before = letter;
    }
    reject_at(first_line, "a comment begins here and does not end");
  }
  void read() {
    skip();
    const std::size_t length = text_.is_over() ? 0 : word_length();
    word_ = {text_.begin(), length};
    text_.take(length);
    word_line_ = line_;
    has_word_ = true;
  }
  /// Holds all of it.
  std::size_t word_length() {
    if (is_alone(*text_.begin())) {
      return 1;
    }
    for (std::size_t length = 0;;) {
      const char* at = text_.begin() + length;
      while (at != text_.end() && !may_end_word(*at)) {
        ++at;
      }
      length = static_cast<std::size_t>(at - text_.begin());
      if (at == text_.end()) {
        if (!text_.extend()) {
          return length;
        }
      } else if (*at == '/' && !begins_comment(length)) {
        ++length;
      } else {
        return length;
      }
    }
  }

  TextWindow text_;
  std::string file_;
  std::size_t line_ = 1;
  std::string_view word_;
  std::size_t word_line_ = 1;
  bool has_word_ = false;
};

class GoalReader {
 public:
  GoalReader(TextWindow text, const std::string& file, const ExactTime& unit)
      : words_{std::move(text), file}, unit_{unit} {}

  Schedule read() {
    words_.expect("num_ranks");
    constexpr std::int64_t most_ranks = 1 << 24;
    const std::size_t first_line = words_.line();
    ranks_ = words_.whole("a number of ranks", 1, most_ranks);
    if (!words_.has_letters(static_cast<std::uint64_t>(ranks_))) {
      words_.reject_at(first_line,
                       fmt::format("there are {} ranks, but not even a letter for each", ranks_));
    }
    schedule_.processes.resize(static_cast<std::size_t>(ranks_));
    schedule_.graphs.resize(static_cast<std::size_t>(ranks_));
    std::vector<bool> is_known(static_cast<std::size_t>(ranks_), false);
    while (words_.take_if("rank")) {
      const std::size_t line = words_.line();
      const auto rank = static_cast<std::size_t>(words_.whole("a rank", 0, ranks_ - 1));
      if (is_known[rank]) {
        words_.reject_at(line, fmt::format("rank {} is described a second time", rank));
      }
      is_known[rank] = true;
      read_rank(rank);
    }
    if (!words_.peek().empty()) {
      words_.reject(
          fmt::format("{} stands where `rank` is expected", GoalWords::shown(words_.peek())));
    }
    expect_as_many_receives(schedule_, words_.file());
    return std::move(schedule_);
  }

 private:
  void read_rank(std::size_t rank) {
    operations_.clear();
    edges_.clear();
    labels_.clear();
    goes_back_ = false;
    words_.expect("{");
    while (!words_.take_if("}")) {
      if (words_.peek().empty()) {
        words_.reject(
            fmt::format("the description of rank {} does not end (`}}` is missing)", rank));
      }
      read_statement();
    }
    schedule_.processes[rank].assign(operations_.begin(), operations_.end());
    schedule_.graphs[rank] = {operations_.size(), {edges_.begin(), edges_.size()}};
    expect_no_circle(rank);
  }

  void read_statement() {
    if (read_operation()) {
      return;
    }
    const std::size_t line = words_.line();
    label_ = words_.take();
    if (words_.take_if(":")) {
      const auto number = static_cast<std::uint32_t>(operations_.size());
      if (!labels_.add(label_, number)) {
        words_.reject_at(
            line, fmt::format("the label {} is given a second time", GoalWords::shown(label_)));
      }
      if (!read_operation()) {
        words_.reject(unknown_operation());
      }
      return;
    }
    const bool is_started = words_.peek() == "irequires";
    if (!is_started && words_.peek() != "requires") {
      words_.reject_at(line, fmt::format("{} is neither send, recv, calc nor a label",
                                         GoalWords::shown(label_)));
    }
    words_.take();
    const std::uint32_t after = labelled(label_, line);
    const std::size_t before_line = words_.line();
    const std::uint32_t before = labelled(words_.take(), before_line);
    if (before == after) {
      words_.reject_at(line, fmt::format("{} requires itself", GoalWords::shown(label_)));
    }
    edges_.push_back({before, after, is_started});
    goes_back_ = goes_back_ || before > after;
  }

  std::string unknown_operation() {
    return fmt::format("{} is not an operation (send, recv or calc)",
                       GoalWords::shown(words_.peek()));
  }

  std::uint32_t labelled(std::string_view label, std::size_t line) const {
    const std::uint32_t found = labels_.find(label);
    if (found == LabelTable::none) {
      words_.reject_at(line, fmt::format("{} is not the label of an operation above this line",
                                         GoalWords::shown(label)));
    }
    return found;
  }

  /// False when the next word begins none.
  bool read_operation() {
    Operation operation;
    if (words_.take_if("calc")) {
      const auto units = static_cast<std::uint64_t>(
          words_.whole("a time", 0, std::numeric_limits<std::int64_t>::max()));
      operation.amount = static_cast<std::uint64_t>(round_cost(ExactTime{}, unit_, units).count());
    } else if (words_.take_if("send")) {
      operation.kind = Kind::send;
      operation.amount = words_.size();
      words_.expect("to");
      operation.peer = ProcessId{static_cast<std::uint32_t>(words_.whole("a rank", 0, ranks_ - 1))};
    } else if (words_.take_if("recv")) {
      operation.kind = Kind::receive;
      operation.amount = words_.size();
      words_.expect("from");
      const std::int64_t from = words_.whole("a rank, or -1", -1, ranks_ - 1);
      operation.peer = from < 0 ? anyone : ProcessId{static_cast<std::uint32_t>(from)};
    } else {
      return false;
    }
    read_options(operation);
    if (operations_.size() >= most_operations) {
      words_.reject("a rank has more than 2^31 operations");
    }
    operations_.push_back(operation);
    return true;
  }

  void read_options(Operation& operation) {
    const bool is_message = operation.kind != Kind::compute;
    if (is_message && words_.take_if("tag")) {
      constexpr std::int64_t most_tag = std::int64_t{any_tag} - 1;
      const bool may_be_any = operation.kind == Kind::receive;
      const std::int64_t tag = words_.whole("a tag", may_be_any ? -1 : 0, most_tag);
      operation.tag = tag < 0 ? any_tag : static_cast<Tag>(tag);
    }
    if (words_.take_if("cpu")) {
      operation.cpu = static_cast<std::uint8_t>(words_.whole("a cpu", 0, 255));
    }
    if (is_message && words_.take_if("nic")) {
      operation.interface = static_cast<std::uint16_t>(words_.whole("a nic", 0, 65535));
    }
  }

  /// Takes away operations that wait for nothing until none is left.
  void expect_no_circle(std::size_t rank) {
    if (!goes_back_) {
      return;  // the last operation of a circle would be required by one before it
    }
    const auto count = static_cast<std::uint32_t>(operations_.size());
    const OperationGraph& graph = schedule_.graphs[rank];
    std::vector<std::uint32_t> missing = graph.missing();
    std::vector<std::uint32_t> free =
        kept(numbered(count), [&](std::uint32_t i) { return missing[i] == 0; });
    std::uint32_t taken = 0;
    while (!free.empty()) {
      const std::uint32_t operation = free.back();
      free.pop_back();
      ++taken;
      for (const OperationGraph::Follower& follower : graph.followers(operation)) {
        if (--missing[follower.operation()] == 0) {
          free.push_back(follower.operation());
        }
      }
    }
    if (taken == count) {
      return;
    }
    words_.reject(
        fmt::format("operations of rank {} require each other in a circle, which holds "
                    "or holds up the one with the label {}",
                    rank, GoalWords::shown(first_label_of(missing))));
  }
  /// The first of them in the file, so that every computer names the same.
  std::string_view first_label_of(const std::vector<std::uint32_t>& missing) const {
    std::size_t label = 0;
    while (label < labels_.size() && missing[labels_.number(label)] == 0) {
      ++label;
    }
    return label < labels_.size() ? labels_.text(label) : std::string_view{};
  }

  static constexpr std::size_t most_operations = std::size_t{1} << 31;

  GoalWords words_;
  ExactTime unit_;
  std::int64_t ranks_ = 0;
  Schedule schedule_;
  // Of the rank:
  GrowingArray<Operation> operations_;
  GrowingArray<OperationGraph::Edge> edges_;
  LabelTable labels_;
  std::string label_;       ///< that the statement begins with
  bool goes_back_ = false;  ///< an operation of it requires a later one
};

}  // namespace

Schedule read_goal(TextWindow text, const std::string& file, const ExactTime& unit) {
  return GoalReader{std::move(text), file, unit}.read();
}

}  // namespace dcube
