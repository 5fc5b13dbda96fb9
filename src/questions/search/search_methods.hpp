#pragma once

#include "dcube/search/methods.hpp"
#include "search_watch.hpp"

namespace dcube {

struct MethodSettings {
  bool is_usual_effort = false;  ///< nobody has chosen one
  std::uint32_t jobs = 1;        ///< threads
};

/// Runs the method of `answer` with its seed and effort. Puts into `answer` what is found, why the
/// search ended and, after a complete enumeration, a bound. The map is empty when every simulation
/// failed, or when an interrupt came before the first. Throws InputError where the method cannot be
/// used.
void run_method(const MethodSettings& settings, SearchWatch& watch, SearchAnswer& answer);

}  // namespace dcube
