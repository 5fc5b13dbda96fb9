#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "trace_settings.hpp"

namespace dcube {

/// What a reader of SimGrid's time-independent traces needs besides the text.
struct TiContext {
  ExactTime flop;        ///< what a floating-point operation takes
  ExactTime picosecond;  ///< what a picosecond of sleep takes
  Ignored ignored{};
  /// The text of a file that the trace names, relative to it.
  std::function<std::string(const std::filesystem::path&)> text_of{};
};

/// The processes of a trace that `smpirun -trace-ti` has written. `text` is the whole of a file:
/// the actions of all ranks, or a list of files, one a rank. Throws InputError with file and line.
Schedule read_ti(std::string_view text, const std::filesystem::path& file, TiContext context);

}  // namespace dcube
