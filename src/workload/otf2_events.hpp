#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "balance.hpp"
#include "dcube/core/time.hpp"
#include "dcube/workload/schedule.hpp"
#include "modules/otf2_records.hpp"
#include "otf2_collectives.hpp"
#include "otf2_definitions.hpp"
#include "otf2_place.hpp"
#include "request_places.hpp"
#include "trace_settings.hpp"

namespace dcube {

/// Turns the events of an OTF2 archive into operations, one process after the other.
class Otf2Events {
 public:
  Otf2Events(Otf2Place& place, Otf2Definitions& definitions, Otf2Collectives& collectives,
             Ignored& ignored, Schedule& schedule)
      : place_{place},
        definitions_{definitions},
        collectives_{collectives},
        ignored_{ignored},
        schedule_{schedule} {}

  /// The next events are those of the process at this location.
  void begin_rank(std::uint64_t location);
  void end_rank();
  void happen(const Otf2Record& record, std::string_view payload);
  const OpenMessages& open_messages() const { return open_messages_; }
  /// Time without recording over all ranks, by the event that reports it.
  std::map<std::string, Ticks> left_out_times() const;

 private:
  using Kind = Operation::Kind;
  /// A posted request that is not complete.
  struct Pending {
    Kind kind{};
    std::size_t operation = 0;
    std::uint64_t number = 0;  ///< of its event
  };
  /// A collective of the current process. Its communicator is known when it completes.
  struct Called {
    std::size_t operation = 0;
    std::optional<std::size_t> waited{};  ///< operation of its wait
    std::optional<Otf2Record> record{};   ///< once it is complete
  };

  // Computing between calls of MPI.
  void enter(std::uint64_t region, std::uint64_t time);
  void leave(std::uint64_t region, std::uint64_t time);
  void begin_mpi(std::uint64_t time);
  void begin_computing(std::uint64_t time);
  void compute_until(std::uint64_t time);
  void interrupt_computing(std::uint64_t time);
  void flush_buffer(std::uint64_t begin, std::uint64_t end);
  void switch_recording(bool is_on, std::uint64_t time);
  void leave_out(std::string_view name, std::uint64_t ticks);
  Ticks time_of(std::uint64_t ticks) const;
  void flush_computing();

  // Messages and requests.
  std::vector<Operation>& operations() { return schedule_.processes[rank_]; }
  void add(const Operation& operation);
  void communicate(const Otf2Record& record);
  Operation message(Kind kind, const std::uint64_t (&values)[8]);
  Tag tag_of(std::uint64_t number, const Otf2Definitions::Communicator& of, std::uint64_t tag);
  void receive(const std::uint64_t (&values)[8]);
  void post(Operation operation, std::uint64_t request);
  const Pending& pending(std::uint64_t request) const;
  std::size_t complete(std::uint64_t request, Kind kind);
  void complete_collective(const Otf2Record& record);
  void number_collectives();
  void remove(std::size_t operation);
  void cancel(std::uint64_t request);

  Otf2Place& place_;
  Otf2Definitions& definitions_;
  Otf2Collectives& collectives_;
  Ignored& ignored_;
  Schedule& schedule_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Tag> tags_;
  std::optional<std::uint64_t> world_;  ///< the communicator whose tags keep their values
  OpenMessages open_messages_;
  std::map<std::string, std::uint64_t> left_out_ticks_;

  // The current process.
  std::uint32_t rank_ = 0;
  std::uint64_t last_time_ = 0;
  std::size_t mpi_depth_ = 0;
  bool is_in_collective_ = false;
  std::optional<std::uint64_t> computing_since_;
  std::optional<std::uint64_t> off_since_;  ///< since when nothing is recorded
  std::uint64_t computed_ticks_ = 0;        ///< not yet an operation
  /// The send of this call of MPI, if the call has nothing else so far.
  std::optional<std::size_t> open_send_;
  std::unordered_map<std::uint64_t, Pending> pending_;  ///< by request
  RequestPlaces places_;
  std::deque<Called> called_;  ///< collectives in order, from the first that is not complete
  bool has_removed_ = false;
};

}  // namespace dcube
