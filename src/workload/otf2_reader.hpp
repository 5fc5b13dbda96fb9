#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "trace_settings.hpp"

namespace dcube {

/// Meaning of the sizes of collectives in a trace.
enum class Otf2Sizes {
  by_creator,  ///< score_p if Score-P has written the trace, else buffers
  score_p,     ///< sum over pairs of processes, as Score-P counts
  buffers      ///< sizes of the call's send and receive buffers
};

struct Otf2Context {
  ExactTime second;              ///< simulated time of a second of computing
  std::string place_of_scale{};  ///< of the setting behind it
  Otf2Sizes sizes = Otf2Sizes::by_creator;
  Ignored ignored{};
  std::function<void(double)> on_share{};  ///< optional: hears the share of ranks read so far
};

/// Reads the MPI processes of an archive of Score-P (OTF2 3.0) with the anchor file `anchor`
/// (.otf2). Throws InputError with the file, location and number of the event. The library runs in
/// a child process: a damaged archive may crash it or make it fill all memory.
Schedule read_otf2(const std::filesystem::path& anchor, Otf2Context context);

/// read_otf2() for records of modules/otf2_records.hpp with payloads. `file` is for messages.
Schedule read_otf2_records(std::string_view records, std::string file, Otf2Context context);

}  // namespace dcube
