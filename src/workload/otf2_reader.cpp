#include "otf2_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

#include "balance.hpp"
#include "child_records.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/workload/module.hpp"
#include "modules/otf2_records.hpp"
#include "otf2_collectives.hpp"
#include "otf2_definitions.hpp"
#include "otf2_events.hpp"
#include "otf2_place.hpp"

namespace dcube {
namespace {

constexpr Module otf2_module{"read OTF2 traces", "dcube-otf2.so", DCUBE_OTF2_FUNCTION_NAME,
                             "libotf2-trace-dev"};

/// Joins records that arrive in pieces.
class RecordJoiner {
 public:
  template <class Take>
  void add(std::string_view bytes, Take take) {
    held_ += bytes;
    std::size_t at = 0;
    Otf2Record record;
    while (held_.size() - at >= sizeof record) {
      std::memcpy(&record, held_.data() + at, sizeof record);
      if (held_.size() - at - sizeof record < record.payload_bytes) {
        break;
      }
      at += sizeof record;
      take(record, std::string_view{held_}.substr(at, record.payload_bytes));
      at += record.payload_bytes;
    }
    held_.erase(0, at);
  }

 private:
  std::string held_;
};

/// Reads an archive: definitions first, then the events of each process.
class Otf2Reader {
 public:
  Otf2Reader(std::string file, Otf2Context context)
      : place_{std::move(file)}, context_{std::move(context)} {}

  /// Takes records; the first and the last may be in pieces.
  void take(std::string_view bytes) {
    joiner_.add(bytes, [this](const Otf2Record& record, std::string_view payload) {
      take(record, payload);
    });
  }

  Schedule finish(std::string_view end_of_child) {
    if (!is_done_) {
      throw InputError(
          place_.file,
          fmt::format("the OTF2 library cannot read it{}{}; the archive may be damaged",
                      end_of_child.empty() ? "" : ": ", end_of_child));
    }
    const std::size_t ranks = definitions_.rank_count();
    refuse_if(ranks == 0, place_.file,
              "has no MPI processes (a group of locations of the paradigm MPI)");
    expect_as_many_receives(events_.open_messages(), [this](std::uint32_t) { return place_.file; });
    schedule_.collectives = collectives_.take(schedule_.processes);
    schedule_.ignored = context_.ignored.counts();
    schedule_.ignored_times = events_.left_out_times();
    if (definitions_.locations() > ranks) {
      schedule_.ignored.emplace("locations that are no ranks", definitions_.locations() - ranks);
    }
    return std::move(schedule_);
  }

 private:
  void take(const Otf2Record& record, std::string_view payload) {
    if (record.kind == otf2_problem) {
      throw InputError(place_.file, payload);
    }
    if (record.kind == otf2_done) {
      events_.end_rank();
      is_done_ = true;
    } else if (record.kind == otf2_rank) {
      events_.end_rank();
      if (context_.on_share && definitions_.rank_count() > 0) {
        context_.on_share(std::min(
            1.0, static_cast<double>(begun_++) / static_cast<double>(definitions_.rank_count())));
      }
      events_.begin_rank(record.values[0]);
    } else if (record.kind < otf2_rank) {
      definitions_.define(record, payload);
      schedule_.processes.resize(definitions_.rank_count());
    } else {
      events_.happen(record, payload);
    }
  }

  Otf2Place place_;
  Otf2Context context_;
  RecordJoiner joiner_;
  Schedule schedule_;
  Otf2Definitions definitions_{place_, context_.second, context_.place_of_scale};
  Otf2Collectives collectives_{place_, definitions_, context_};
  Otf2Events events_{place_, definitions_, collectives_, context_.ignored, schedule_};
  std::size_t begun_ = 0;  ///< number of ranks begun
  bool is_done_ = false;
};

}  // namespace

Schedule read_otf2(const std::filesystem::path& anchor, Otf2Context context) {
  const auto read = reinterpret_cast<Otf2Read>(load_module(otf2_module));
  const std::string file = anchor.string();
  Otf2Reader reader{file, std::move(context)};
  using Write = std::function<void(std::string_view)>;
  const std::string end = consume_from_child(
      [&](const Write& write) {
        const Otf2Sink sink{
            const_cast<Write*>(&write),
            [](void* to, const Otf2Record* record, const void* payload) {
              const Write& write_to = *static_cast<const Write*>(to);
              write_to({reinterpret_cast<const char*>(record), sizeof *record});
              if (record->payload_bytes > 0) {
                write_to({static_cast<const char*>(payload), record->payload_bytes});
              }
            }};
        read(file.c_str(), &sink);
      },
      [&](std::string_view bytes) { reader.take(bytes); });
  return reader.finish(end);
}

Schedule read_otf2_records(std::string_view records, std::string file, Otf2Context context) {
  Otf2Reader reader{std::move(file), std::move(context)};
  reader.take(records);
  return reader.finish("");
}

}  // namespace dcube
