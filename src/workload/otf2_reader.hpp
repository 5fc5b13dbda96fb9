#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "trace_settings.hpp"

namespace dcube {

/// What the sizes of collectives in a trace count.
enum class Otf2Sizes {
  by_creator,  ///< as Score-P counts when that has written the trace, otherwise buffers
  score_p,     ///< what would pass between each two processes, as Score-P adds it up
  buffers      ///< what the send and receive buffers of the call hold
};

/// What a reader of OTF2 archives needs besides the file.
struct Otf2Context {
  ExactTime second;  ///< what a second of computing takes
  Otf2Sizes sizes = Otf2Sizes::by_creator;
  Ignored ignored{};
  std::function<void(double)>
      on_share{};  ///< hears what share of the ranks has been read, if given
};

/// The MPI processes of an archive of Score-P (OTF2 3.0). `anchor` is its file of the suffix .otf2.
/// Throws InputError with the file, the location and the number of the event. The library is run in
/// a child process: a damaged archive may crash it or make it fill all
/// memory.
Schedule read_otf2(const std::filesystem::path& anchor, Otf2Context context);

/// The same of what the library has told of an archive: records of modules/otf2_records.hpp, one
/// after the other, each with its payload. `file` is for messages.
Schedule read_otf2_records(std::string_view records, std::string file, Otf2Context context);

}  // namespace dcube
