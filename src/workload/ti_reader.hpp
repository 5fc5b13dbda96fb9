#pragma once

#include <filesystem>
#include <functional>

#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "trace_settings.hpp"

namespace dcube {

/// What a reader of SimGrid's time-independent traces needs besides the text.
struct TiContext {
  ExactTime flop;        ///< what a floating-point operation takes
  ExactTime picosecond;  ///< what a picosecond of sleep takes
  Ignored ignored{};
  /// The text of a file, which is a part of all that is read.
  std::function<TextWindow(const std::filesystem::path&, ReadingPart)> text_of{};
};

/// The processes of a trace that `smpirun -trace-ti` has written: the actions of all ranks in a
/// file, which is read twice, or a list of files, one a rank. Throws InputError with file and line.
Schedule read_ti(const std::filesystem::path& file, TiContext context);

}  // namespace dcube
