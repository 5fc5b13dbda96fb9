#include "text_window.hpp"

#include <algorithm>
#include <utility>

#include "text.hpp"

namespace dcube {

TextWindow::TextWindow(std::string_view text)
    : next_{text.data()}, end_{text.data() + text.size()}, seen_{text.size()} {
  take_byte_order_mark();
}

TextWindow::TextWindow(Read read, std::size_t bytes)
    : read_{std::move(read)},
      block_{std::make_unique_for_overwrite<char[]>(bytes)},
      capacity_{bytes},
      next_{block_.get()},
      end_{next_} {
  take_byte_order_mark();
}

bool TextWindow::extend() {
  if (!read_) {
    return false;
  }
  const auto held = static_cast<std::size_t>(end_ - next_);
  if (held == capacity_) {
    capacity_ *= 2;
    std::unique_ptr<char[]> larger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::copy(next_, end_, larger.get());
    block_ = std::move(larger);
  } else {
    std::copy(next_, end_, block_.get());  // to the front: it may overlap
  }
  const std::size_t read = read_(block_.get() + held, capacity_ - held);
  next_ = block_.get();
  end_ = next_ + held + read;
  seen_ += read;
  if (read == 0) {
    read_ = nullptr;
  }
  return read > 0;
}

void TextWindow::take_byte_order_mark() {
  const auto held = [&] { return std::string_view{next_, end_}; };
  while (held().size() < byte_order_mark.size() && byte_order_mark.starts_with(held()) &&
         extend()) {
  }
  if (held().starts_with(byte_order_mark)) {
    take(byte_order_mark.size());
  }
}

void TextWindow::take_until(char mark) {
  while (!is_over()) {
    next_ = first_of(mark, next_);
    if (next_ != end_) {
      return;
    }
  }
}

std::string_view TextWindow::take_line() {
  std::size_t length = 0;
  do {
    length = static_cast<std::size_t>(first_of('\n', next_ + length) - next_);
  } while (next_ + length == end_ && extend());
  const std::string_view line{next_, length};
  next_ = std::min(next_ + length + 1, end_);
  return line;
}

const char* TextWindow::first_of(char mark, const char* from) const {
  const std::string_view rest{from, static_cast<std::size_t>(end_ - from)};
  return from + std::min(rest.find(mark), rest.size());
}

bool TextWindow::has_bytes(std::uint64_t bytes) {
  while (seen_ < bytes) {
    if (!extend()) {
      return false;
    }
  }
  return true;
}

}  // namespace dcube
