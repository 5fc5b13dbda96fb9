#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "trace_settings.hpp"

namespace dcube {

struct TiContext {
  std::optional<ExactTime> flop;  ///< time of a floating-point operation; nothing: not said
  ExactTime picosecond;           ///< simulated time of a picosecond of sleep
  Ignored ignored{};
  /// The text of a file, a part of everything that is read.
  std::function<TextWindow(const std::filesystem::path&, ReadingPart)> text_of{};
};

/// Reads a trace written by `smpirun -trace-ti`: the actions of all ranks in one file, which is
/// read twice, or a list of files, one per rank. Throws InputError with file and line.
Schedule read_ti(const std::filesystem::path& file, TiContext context);

}  // namespace dcube
