#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace dcube {

/// Window on a text: a part of it is held in memory. It moves on as text is taken, and grows only
/// for what must be seen in one piece.
///
/// A byte order mark before the text is none of it.
///
/// Views of held text are valid until the next call that may read.
class TextWindow {
 public:
  /// Writes up to so many bytes to the address. Returns how many; 0 at the end of the text.
  using Read = std::function<std::size_t(char*, std::size_t)>;
  static constexpr std::size_t usual_bytes = std::size_t{1} << 20;

  /// Holds the whole of `text`, which must outlive the window and is not copied.
  explicit TextWindow(std::string_view text);
  /// `bytes`: first size of the window, at least 1. Reads.
  explicit TextWindow(Read read, std::size_t bytes = usual_bytes);

  /// Text that is held and not taken.
  const char* begin() const { return next_; }
  const char* end() const { return end_; }

  /// Takes `bytes`, which must be held.
  void take(std::size_t bytes) { next_ += bytes; }
  /// Reads on, moving the text that is held and not taken. False at the end of the text.
  bool extend();
  /// Whether all of the text has been taken. May read.
  bool is_over() { return next_ == end_ && !extend(); }
  /// Takes all before the next `mark`, or all, without holding it. May read.
  void take_until(char mark);
  /// Takes a line and its end; the view has no newline. May read.
  std::string_view take_line();
  /// Whether the whole text, from its beginning, has at least `bytes`. May read.
  bool has_bytes(std::uint64_t bytes);

 private:
  void take_byte_order_mark();
  /// The first `mark` held from `from` on, or the end of the held text.
  const char* first_of(char mark, const char* from) const;

  Read read_;  ///< none: the text is over
  std::unique_ptr<char[]> block_;
  std::size_t capacity_ = 0;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t seen_ = 0;  ///< bytes read, taken ones included
};

}  // namespace dcube
