#pragma once

#include <string>
#include <utility>

#include "core/warnings.hpp"

namespace dcube {

/// The warnings that `action` gives, a line each.
template <class Action>
std::string warnings_of(Action action) {
  std::string lines;
  WarningListener before =
      listen_to_warnings([&](const std::string& warning) { lines += warning + "\n"; });
  action();
  listen_to_warnings(std::move(before));
  return lines;
}

}  // namespace dcube
