#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace dcube {

/// A text of which a part is held at a time. The window moves on as the text is taken, and grows
/// for what must be seen in one piece alone.
///
/// Views of what is held are valid until the next call that may read.
class TextWindow {
 public:
  /// Puts up to so many bytes there. Returns how many; 0 at the end of the text.
  using Read = std::function<std::size_t(char*, std::size_t)>;
  static constexpr std::size_t usual_bytes = std::size_t{1} << 20;

  /// A text in memory, which must outlive the window. It is held whole, and not copied.
  explicit TextWindow(std::string_view text)
      : next_{text.data()}, end_{text.data() + text.size()}, seen_{text.size()} {}
  /// `bytes`: of the window at first, at least 1.
  explicit TextWindow(Read read, std::size_t bytes = usual_bytes);

  /// What is held and not taken.
  const char* begin() const { return next_; }
  const char* end() const { return end_; }

  /// Takes so much of what is held.
  void take(std::size_t bytes) { next_ += bytes; }
  /// Reads on. What has not been taken stays, and has moved. False: the text is over.
  bool extend();
  /// Whether all of the text has been taken. May read.
  bool is_over() { return next_ == end_ && !extend(); }
  /// Takes all before the next `mark`, or all. May read, and holds nothing of it.
  void take_until(char mark);
  /// Takes a line and its end, which is not a part of the view. May read.
  std::string_view take_line();
  /// Whether the text has at least so many bytes, with all that has been taken. May read.
  bool has_bytes(std::uint64_t bytes);

 private:
  /// Of what is held from there on, or its end.
  const char* first_of(char mark, const char* from) const;

  Read read_;  ///< none: there is no more
  std::unique_ptr<char[]> block_;
  std::size_t capacity_ = 0;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t seen_ = 0;  ///< bytes that have been read
};

}  // namespace dcube
