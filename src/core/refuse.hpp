#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {

/// Throws InputError at `place` if `is_wrong`; `problem` is a format string.
template <class... Arguments>
void refuse_if(bool is_wrong, std::string_view place, fmt::format_string<Arguments...> problem,
               Arguments&&... arguments) {
  if (is_wrong) {
    throw InputError(place, fmt::format(problem, std::forward<Arguments>(arguments)...));
  }
}

/// Gives `Reader`, which has reject(problem), a conditional one.
template <class Reader>
class RejectsIf {
 public:
  /// Rejects what is read if `is_wrong`; `problem` is a format string.
  template <class... Arguments>
  void reject_if(bool is_wrong, fmt::format_string<Arguments...> problem,
                 Arguments&&... arguments) const {
    if (is_wrong) {
      static_cast<const Reader&>(*this).reject(
          fmt::format(problem, std::forward<Arguments>(arguments)...));
    }
  }
};

/// Returns read(). An InputError without a place that it throws gets `place`.
template <class Read>
auto at_least_at(std::string_view place, Read read) {
  try {
    return read();
  } catch (const MemoryError& error) {
    throw MemoryError(error.place().empty() ? place : error.place(), error.problem());
  } catch (const InputError& error) {
    throw InputError(error.place().empty() ? place : error.place(), error.problem());
  }
}

}  // namespace dcube
