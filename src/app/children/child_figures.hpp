#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "dcube/core/errors.hpp"

namespace dcube::app {

// Parent and child are one program, so figures travel as they lie in memory.

/// What a child sends: its figures.
template <class Figures>
std::string sent_figures(const Figures& figures) {
  static_assert(std::is_trivially_copyable_v<Figures>);
  std::string message(sizeof figures, '\0');
  std::memcpy(message.data(), &figures, sizeof figures);
  return message;
}

/// The figures that a message begins with.
template <class Figures>
Figures received_figures(std::string_view message) {
  static_assert(std::is_trivially_copyable_v<Figures>);
  expects(message.size() >= sizeof(Figures), "a finished child sends its figures");
  Figures figures;
  std::memcpy(&figures, message.data(), sizeof figures);
  return figures;
}

}  // namespace dcube::app
