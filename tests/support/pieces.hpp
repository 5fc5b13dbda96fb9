#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/text_window.hpp"

namespace dcube {

/// `text` through a window that holds `bytes` at first.
inline TextWindow in_pieces(std::string text, std::size_t bytes) {
  return TextWindow{
      [text = std::move(text), at = std::size_t{0}](char* to, std::size_t count) mutable {
        const std::size_t copied = text.copy(to, count, at);
        at += copied;
        return copied;
      },
      bytes};
}

}  // namespace dcube
