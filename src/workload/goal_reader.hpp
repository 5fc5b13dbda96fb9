#pragma once

#include <string>

#include "core/text_window.hpp"
#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// A schedule in the text form of GOAL (Hoefler, Siebert & Lumsdaine 2009; LogGOPSim). `unit` is
/// what a unit of `calc` takes. Throws InputError with file and line.
Schedule read_goal(TextWindow text, const std::string& file, const ExactTime& unit);

}  // namespace dcube
