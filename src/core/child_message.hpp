#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube {

// A child's message to its parent: figures, texts and lists, one after the other. Both are the same
// program, so figures travel as they lie in memory.

template <class Figures>
void append_sent(std::string& message, const Figures& figures) {
  static_assert(std::is_trivially_copyable_v<Figures>);
  message.append(reinterpret_cast<const char*>(&figures), sizeof figures);
}
inline void append_sent(std::string& message, const std::string& text) {
  append_sent(message, text.size());
  message += text;
}
template <class Figures>
void append_sent(std::string& message, const std::span<const Figures>& list) {
  append_sent(message, list.size());
  for (const Figures& figures : list) {
    append_sent(message, figures);
  }
}
template <class Figures>
void append_sent(std::string& message, const std::vector<Figures>& list) {
  append_sent(message, std::span<const Figures>{list});
}

template <class... Parts>
std::string sent(const Parts&... parts) {
  std::string message;
  (append_sent(message, parts), ...);
  return message;
}

/// Takes the parts out of `message`, in order; the message must outlive it.
class ChildReader {
 public:
  explicit ChildReader(std::string_view message) : rest_{message} {}

  bool is_at_end() const { return rest_.empty(); }

  template <class Figures>
  Figures read() {
    static_assert(std::is_trivially_copyable_v<Figures>);
    Figures figures;
    std::memcpy(&figures, take(sizeof figures).data(), sizeof figures);
    return figures;
  }
  std::string read_text() { return std::string{take(read<std::size_t>())}; }
  template <class Figures>
  std::vector<Figures> read_list() {
    std::vector<Figures> list(read<std::size_t>());
    for (Figures& figures : list) {
      figures = read<Figures>();
    }
    return list;
  }

 private:
  std::string_view take(std::size_t bytes) {
    expects(rest_.size() >= bytes, "a finished child sends a whole message");
    const std::string_view part = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return part;
  }

  std::string_view rest_;
};

}  // namespace dcube
