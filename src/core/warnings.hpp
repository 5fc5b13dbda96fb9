#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dcube {

/// Receives a warning: one line "place: problem". Called by the thread that reads.
using WarningListener = std::function<void(const std::string& warning)>;

/// Replaces the program's listener, which is none at first, and returns the previous one.
WarningListener listen_to_warnings(WarningListener listener);

/// Tells the listener of input that is legal and probably not meant. `problem`: what is read, and
/// the way out. Results never depend on it.
void warn(std::string_view place, std::string_view problem);

}  // namespace dcube
