#include "otf2_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "balance.hpp"
#include "child_records.hpp"
#include "core/printable.hpp"
#include "dcube/core/errors.hpp"
#include "modules/otf2_records.hpp"
#include "otf2_sizes.hpp"
#include "trace_module.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

constexpr TraceModule otf2_module{"OTF2 traces", "dcube-otf2.so", DCUBE_OTF2_FUNCTION_NAME,
                                  "libotf2-trace-dev"};

// Numbers of OTF2 (OTF2_Definitions.h, OTF2_Events.h), which stay what they are.
constexpr std::uint64_t group_of_locations = 4;  // OTF2_GROUP_TYPE_COMM_LOCATIONS
constexpr std::uint64_t group_of_ranks = 5;      // OTF2_GROUP_TYPE_COMM_GROUP
constexpr std::uint64_t group_of_self = 6;       // OTF2_GROUP_TYPE_COMM_SELF

constexpr std::size_t most_otf2_ranks = (std::size_t{1} << 24) - 1;
constexpr std::uint64_t most_otf2_bytes = std::uint64_t{1} << 62;

/// A collective operation of OTF2, by its number.
struct Otf2Collective {
  std::string_view name;
  std::optional<CollectiveKind> kind{};
  bool has_own_shares = false;
};
constexpr std::array<Otf2Collective, 23> otf2_collectives{{
    {"BARRIER", CollectiveKind::barrier},
    {"BCAST", CollectiveKind::broadcast},
    {"GATHER", CollectiveKind::gather},
    {"GATHERV", CollectiveKind::gather, true},
    {"SCATTER", CollectiveKind::scatter},
    {"SCATTERV", CollectiveKind::scatter, true},
    {"ALLGATHER", CollectiveKind::allgather},
    {"ALLGATHERV", CollectiveKind::allgather, true},
    {"ALLTOALL", CollectiveKind::all_to_all},
    {"ALLTOALLV", CollectiveKind::all_to_allv, true},
    {"ALLTOALLW", CollectiveKind::all_to_allv, true},
    {"ALLREDUCE", CollectiveKind::allreduce},
    {"REDUCE", CollectiveKind::reduce},
    {"REDUCE_SCATTER", CollectiveKind::reduce_scatter, true},
    {"SCAN", CollectiveKind::scan},
    {"EXSCAN", CollectiveKind::exscan},
    {"REDUCE_SCATTER_BLOCK", CollectiveKind::reduce_scatter, true},
    {"CREATE_HANDLE"},
    {"DESTROY_HANDLE"},
    {"ALLOCATE"},
    {"DEALLOCATE"},
    {"CREATE_HANDLE_AND_ALLOCATE"},
    {"DESTROY_HANDLE_AND_DEALLOCATE"},
}};

bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::gather ||
         kind == CollectiveKind::reduce || kind == CollectiveKind::scatter;
}

/// Puts records together again that come in pieces.
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

class Otf2Reader {
 public:
  Otf2Reader(std::string file, Otf2Context context)
      : file_{std::move(file)}, context_{std::move(context)} {}

  /// Records, of which the first and the last may be in pieces.
  void take(std::string_view bytes) {
    joiner_.add(bytes, [this](const Otf2Record& record, std::string_view payload) {
      take(record, payload);
    });
  }

  Schedule finish(std::string_view end_of_child) {
    if (!is_done_) {
      throw InputError(
          file_, fmt::format("the OTF2 library cannot read it{}{}; the archive may be damaged",
                             end_of_child.empty() ? "" : ": ", end_of_child));
    }
    if (ranks_.empty()) {
      throw InputError(file_, "has no MPI processes (a group of locations of the paradigm MPI)");
    }
    expect_as_many_receives(open_messages_, [this](std::uint32_t) { return file_; });
    for (Call& call : calls_) {
      schedule_.collectives.push_back(scheduled(call));
    }
    schedule_.ignored = context_.ignored.counts();
    if (locations_ > ranks_.size()) {
      schedule_.ignored.emplace("locations that are no ranks", locations_ - ranks_.size());
    }
    return std::move(schedule_);
  }

 private:
  struct Group {
    std::uint64_t type = 0;
    bool is_mpi = false;
    bool is_global = false;
    std::vector<std::uint64_t> members;
  };
  /// Processes of a communicator.
  struct Communicator {
    bool is_self = false;
    bool is_global = false;  ///< events have ranks of the world
    bool is_world = false;   ///< all processes in order
    std::vector<std::uint32_t> members;
    std::unordered_map<std::uint32_t, std::uint32_t> ranks;  ///< of the members
    std::vector<std::uint32_t> calls;                        ///< its collectives, in order
    std::uint32_t called = 0;                                ///< by the current process
  };
  /// A collective that processes call.
  struct Call {
    const Otf2Collective* operation = nullptr;
    std::uint64_t communicator = 0;
    std::uint32_t root = 0;
    std::uint32_t callers = 0;
    std::uint32_t first = 0;  ///< rank that called it first
    std::string place;        ///< where it did
    std::optional<std::uint64_t> count;
    std::vector<CollectiveBytes> bytes;  ///< where each has shares of its own
  };
  /// A request that is posted and not complete.
  struct Pending {
    bool is_send = false;
    std::size_t operation = 0;
    std::uint64_t number = 0;  ///< of its event
  };

  void take(const Otf2Record& record, std::string_view payload) {
    if (record.kind == otf2_problem) {
      throw InputError(file_, payload);
    }
    if (record.kind == otf2_done) {
      end_rank();
      is_done_ = true;
    } else if (record.kind <= otf2_rank) {
      define(record, payload);
    } else {
      happen(record, payload);
    }
  }

  // --- Definitions

  void define(const Otf2Record& record, std::string_view payload) {
    const auto& values = record.values;
    switch (record.kind) {
      case otf2_resolution:
        set_resolution(values[0]);
        break;
      case otf2_creator:
        is_score_p_ = payload.starts_with("Score-P");
        break;
      case otf2_location:
        ++locations_;
        break;
      case otf2_region:
        is_mpi_region_[values[0]] = values[1] != 0;
        break;
      case otf2_calling_context:
        region_of_context_[values[0]] = values[1];
        break;
      case otf2_group:
        define_group(values, payload);
        break;
      case otf2_communicator:
        group_of_communicator_[values[0]] = values[1];
        break;
      case otf2_inter_communicator:
        inter_communicators_.insert(values[0]);
        break;
      case otf2_rank:
        begin_rank(values[0]);
        break;
      default:
        throw ContractViolation("a module tells only what it may tell");
    }
  }

  void set_resolution(std::uint64_t ticks_per_second) {
    std::int64_t parts = 0;
    if (ticks_per_second == 0 ||
        ticks_per_second > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ||
        __builtin_mul_overflow(context_.second.denominator(),
                               static_cast<std::int64_t>(ticks_per_second), &parts)) {
      throw InputError(file_,
                       fmt::format("{} ticks a second is no resolution of a clock that can be used",
                                   ticks_per_second));
    }
    tick_ = ExactTime{context_.second.numerator(), parts};
  }

  void define_group(const std::uint64_t (&values)[7], std::string_view payload) {
    Group group{values[1], values[2] != 0, values[3] != 0, {}};
    group.members.resize(payload.size() / sizeof(std::uint64_t));
    if (!group.members.empty()) {
      std::memcpy(group.members.data(), payload.data(),
                  group.members.size() * sizeof(std::uint64_t));
    }
    if (group.is_mpi && group.type == group_of_locations) {
      if (!ranks_.empty()) {
        throw InputError(file_, "has two lists of MPI processes");
      }
      if (group.members.size() > most_otf2_ranks) {
        throw InputError(file_, "has more than 2^24 MPI processes");
      }
      for (const std::uint64_t location : group.members) {
        if (!ranks_.emplace(location, static_cast<std::uint32_t>(ranks_.size())).second) {
          throw InputError(file_, fmt::format("location {} is two MPI processes", location));
        }
      }
      schedule_.processes.resize(ranks_.size());
    }
    groups_[values[0]] = std::move(group);
  }

  /// Its processes by the groups of the archive. Throws InputError.
  Communicator make_communicator(std::uint64_t number) const {
    const auto known = group_of_communicator_.find(number);
    if (inter_communicators_.contains(number)) {
      reject(fmt::format("communicator {} joins two groups, which is not supported", number));
    }
    if (known == group_of_communicator_.end()) {
      reject(fmt::format("communicator {} is not defined", number));
    }
    const auto group = groups_.find(known->second);
    if (group == groups_.end() || !group->second.is_mpi) {
      reject(fmt::format("communicator {} has no group of MPI processes", number));
    }
    Communicator made;
    const Group& of = group->second;
    made.is_global = of.is_global;
    switch (of.type) {
      case group_of_self:
        made.is_self = true;
        return made;
      case group_of_locations:
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
          made.members.push_back(rank);
        }
        break;
      case group_of_ranks:
        for (const std::uint64_t rank : of.members) {
          if (rank >= ranks_.size()) {
            reject(fmt::format("communicator {} has a process {} (0 to {})", number, rank,
                               ranks_.size() - 1));
          }
          made.members.push_back(static_cast<std::uint32_t>(rank));
        }
        break;
      default:
        reject(fmt::format("communicator {} has a group of no processes", number));
    }
    for (std::uint32_t i = 0; i < made.members.size(); ++i) {
      if (!made.ranks.emplace(made.members[i], i).second) {
        reject(fmt::format("communicator {} has process {} twice", number, made.members[i]));
      }
    }
    made.is_world = made.members.size() == ranks_.size() && std::ranges::is_sorted(made.members);
    return made;
  }
  Communicator& communicator(std::uint64_t number) {
    const auto known = communicators_.find(number);
    return known != communicators_.end()
               ? known->second
               : communicators_.emplace(number, make_communicator(number)).first->second;
  }

  // --- The events of a process

  void begin_rank(std::uint64_t location) {
    end_rank();
    if (!tick_) {
      throw InputError(file_, "does not say the resolution of its clock");
    }
    const auto known = ranks_.find(location);
    expects(known != ranks_.end(), "a module reads the locations of ranks");
    rank_ = known->second;
    location_ = location;
    number_ = 0;
    mpi_depth_ = 0;
    is_in_collective_ = false;
    computing_since_.reset();
    last_time_ = 0;
    open_send_.reset();
    has_cancelled_ = false;
    unused_.clear();
    requests_ = 0;
    for (auto& [of, known_communicator] : communicators_) {
      known_communicator.called = 0;
    }
    is_in_rank_ = true;
  }

  void end_rank() {
    if (!is_in_rank_) {
      return;
    }
    is_in_rank_ = false;
    if (mpi_depth_ == 0 && !is_in_collective_) {
      compute_until(last_time_);
    }
    flush_computing();
    for (const auto& [request, pending] : pending_) {
      if (!pending.is_send) {
        number_ = pending.number;
        reject(fmt::format("the receive of MPI_IRECV_REQUEST {} is neither completed nor cancelled",
                           request));
      }
    }
    pending_.clear();
    if (has_cancelled_) {
      std::erase_if(operations(), [](const Operation& operation) {
        return operation.kind == Kind::compute && operation.amount == 0;
      });
    }
  }

  std::string place_of(std::uint64_t number) const {
    return fmt::format("{}: location {}, event {}", file_, location_, number);
  }
  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(is_in_rank_ || number_ > 0 ? place_of(number_) : file_, problem);
  }
  std::vector<Operation>& operations() { return schedule_.processes[rank_]; }

  void happen(const Otf2Record& record, std::string_view payload) {
    const auto& values = record.values;
    const std::uint64_t time = values[0];
    number_ = values[1];
    if (time < last_time_) {
      reject("is earlier than the event before it");
    }
    last_time_ = time;
    if (!computing_since_) {
      computing_since_ = time;
    }
    switch (record.kind) {
      case otf2_enter:
        enter(values[2], time);
        break;
      case otf2_leave:
        leave(values[2], time);
        break;
      case otf2_enter_context:
        enter(region_of_context(values[2]), time);
        break;
      case otf2_leave_context:
        leave(region_of_context(values[2]), time);
        break;
      case otf2_program_event:
        break;
      case otf2_other:
        if (!context_.ignored.leaves_out(payload)) {
          reject(
              fmt::format("{} is not an event of MPI that is read (\"ignore\": [\"{}\"] leaves "
                          "it out)",
                          printable(payload), printable(payload)));
        }
        break;
      default:
        begin_mpi(time);
        communicate(record);
        break;
    }
  }

  std::uint64_t region_of_context(std::uint64_t context) const {
    const auto known = region_of_context_.find(context);
    if (known == region_of_context_.end()) {
      reject(fmt::format("calling context {} is not defined", context));
    }
    return known->second;
  }
  bool is_mpi(std::uint64_t region) const {
    const auto known = is_mpi_region_.find(region);
    if (known == is_mpi_region_.end()) {
      reject(fmt::format("region {} is not defined", region));
    }
    return known->second;
  }

  /// The process computes between its calls of MPI.
  void enter(std::uint64_t region, std::uint64_t time) {
    if (is_mpi(region)) {
      if (mpi_depth_++ == 0) {
        compute_until(time);
      }
    }
  }
  void leave(std::uint64_t region, std::uint64_t time) {
    if (!is_mpi(region)) {
      return;
    }
    if (mpi_depth_ == 0) {
      reject("leaves a call of MPI that it has not entered");
    }
    if (--mpi_depth_ == 0) {
      computing_since_ = time;
      open_send_.reset();
    }
  }
  /// An event of MPI. Where no regions are recorded, it is the whole call.
  void begin_mpi(std::uint64_t time) {
    if (mpi_depth_ == 0) {
      if (!is_in_collective_) {
        compute_until(time);
      }
      computing_since_ = time;
      open_send_.reset();
    }
  }
  void compute_until(std::uint64_t time) {
    if (computing_since_ && time > *computing_since_) {
      computed_ticks_ += time - *computing_since_;
    }
    computing_since_ = time;
  }
  void flush_computing() {
    if (const std::uint64_t ticks = std::exchange(computed_ticks_, 0); ticks > 0) {
      const Ticks time =
          at_place(place_of(number_), [&] { return round_cost(ExactTime{}, *tick_, ticks); });
      if (time > Ticks{0}) {
        operations().push_back(
            {.kind = Kind::compute, .amount = static_cast<std::uint64_t>(time.count())});
      }
    }
  }
  void add(const Operation& operation) {
    flush_computing();
    operations().push_back(operation);
  }

  void communicate(const Otf2Record& record) {
    const auto& values = record.values;
    switch (record.kind) {
      case otf2_send:
        add(message(Kind::send, values));
        ++open_messages_[{rank_, operations().back().peer.index()}];
        if (mpi_depth_ > 0) {
          open_send_ = operations().size() - 1;
        }
        return;
      case otf2_receive:
        receive(values);
        return;
      case otf2_isend:
        post(message(Kind::post_send, values), values[6]);
        ++open_messages_[{rank_, operations().back().peer.index()}];
        break;
      case otf2_irecv_request:
        post({.kind = Kind::post_receive, .peer = ProcessId{rank_}}, values[2]);
        break;
      case otf2_isend_complete:
        complete(values[2], true);
        break;
      case otf2_irecv: {
        const Operation known = message(Kind::post_receive, values);
        Operation& posted = operations()[complete(values[6], false)];
        posted.peer = known.peer;
        posted.tag = known.tag;
        --open_messages_[{known.peer.index(), rank_}];
        break;
      }
      case otf2_request_test:
        break;  // a test that has failed
      case otf2_request_cancelled:
        cancel(values[2]);
        break;
      case otf2_collective_begin:
        if (is_in_collective_) {
          reject("begins a collective within a collective");
        }
        is_in_collective_ = true;
        break;
      case otf2_collective_end:
        if (!is_in_collective_) {
          reject("ends a collective that has not begun");
        }
        is_in_collective_ = false;
        call(values);
        break;
      default:
        throw ContractViolation("a module tells only what it may tell");
    }
    open_send_.reset();
  }

  /// A send or receive: peer, communicator, tag and bytes are its values.
  Operation message(Kind kind, const std::uint64_t (&values)[7]) {
    Communicator& of = communicator(values[3]);
    std::uint64_t peer = values[2];
    if (of.is_self) {
      if (peer != 0 && !(of.is_global && peer == rank_)) {
        reject(fmt::format("{} is not a rank of communicator {} (0)", peer, values[3]));
      }
      peer = rank_;
    } else if (!of.is_global) {
      if (peer >= of.members.size()) {
        reject(fmt::format("{} is not a rank of communicator {} (0 to {})", peer, values[3],
                           of.members.size() - 1));
      }
      peer = of.members[peer];
    } else if (peer >= ranks_.size()) {
      reject(fmt::format("{} is not a rank (0 to {})", peer, ranks_.size() - 1));
    }
    if (values[5] > most_otf2_bytes) {
      reject("the message has more than 2^62 bytes");
    }
    return {.kind = kind,
            .tag = tag_of(values[3], of, values[4]),
            .peer = ProcessId{static_cast<std::uint32_t>(peer)},
            .amount = kind == Kind::send || kind == Kind::post_send ? values[5] : 0};
  }
  /// Tags of the world stay what they are. Other communicators have tags of their own, which are
  /// numbered as they come.
  Tag tag_of(std::uint64_t number, const Communicator& of, std::uint64_t tag) {
    constexpr std::uint64_t first_of_others = std::uint64_t{1} << 30;
    if (of.is_world && tag < first_of_others && (!world_ || *world_ == number)) {
      world_ = number;
      return static_cast<Tag>(tag);
    }
    const auto next = static_cast<Tag>(first_of_others + tags_.size());
    const Tag known = tags_.emplace(std::pair{number, tag}, next).first->second;
    if (known >= first_collective_tag) {
      reject("the trace has more than 2^30 tags");
    }
    return known;
  }

  /// In MPI_Sendrecv, which does both at once, the send comes first.
  void receive(const std::uint64_t (&values)[7]) {
    const Operation received = message(Kind::receive, values);
    --open_messages_[{received.peer.index(), rank_}];
    if (!open_send_) {
      add(received);
      return;
    }
    const std::uint32_t place = new_place();
    Operation& sent = operations()[*std::exchange(open_send_, std::nullopt)];
    sent.kind = Kind::post_send;
    sent.request = place;
    add(received);
    add({.kind = Kind::wait, .request = place});
    unused_.push_back(place);
  }

  std::uint32_t new_place() {
    if (unused_.empty()) {
      return requests_++;
    }
    const std::uint32_t place = unused_.back();
    unused_.pop_back();
    return place;
  }
  void post(Operation operation, std::uint64_t request) {
    operation.request = new_place();
    add(operation);
    const Pending pending{operation.kind == Kind::post_send, operations().size() - 1, number_};
    if (!pending_.emplace(request, pending).second) {
      reject(fmt::format("request {} is posted already", request));
    }
  }
  const Pending& pending(std::uint64_t request) const {
    const auto known = pending_.find(request);
    if (known == pending_.end()) {
      reject(fmt::format("request {} is not posted", request));
    }
    return known->second;
  }
  /// Waits for it. Its operation.
  std::size_t complete(std::uint64_t request, bool is_send) {
    const Pending known = pending(request);
    if (known.is_send != is_send) {
      reject(fmt::format("request {} is a {}", request, known.is_send ? "send" : "receive"));
    }
    const std::uint32_t place = operations()[known.operation].request;
    add({.kind = Kind::wait, .request = place});
    unused_.push_back(place);
    pending_.erase(request);
    return known.operation;
  }
  /// What is cancelled has no effect: nobody receives or sends it.
  void cancel(std::uint64_t request) {
    const Pending known = pending(request);
    Operation& operation = operations()[known.operation];
    if (known.is_send) {
      --open_messages_[{rank_, operation.peer.index()}];
    }
    unused_.push_back(operation.request);
    operation = {.kind = Kind::compute, .amount = 0};
    has_cancelled_ = true;
    pending_.erase(request);
  }

  // --- Collectives

  /// Operation, communicator, root, bytes sent and received.
  void call(const std::uint64_t (&values)[7]) {
    if (values[2] >= otf2_collectives.size()) {
      reject(fmt::format("{} is not a collective operation of OTF2 3.0", values[2]));
    }
    const Otf2Collective& operation = otf2_collectives[values[2]];
    if (context_.ignored.leaves_out(operation.name)) {
      return;
    }
    if (!operation.kind) {
      reject(fmt::format("the collective {} is not simulated (\"ignore\": [\"{}\"] leaves it out)",
                         operation.name, operation.name));
    }
    Communicator& group = communicator(values[3]);
    if (group.is_self) {
      return;  // of one process
    }
    const auto own = group.ranks.find(rank_);
    if (own == group.ranks.end()) {
      reject(fmt::format("rank {} is not in communicator {}", rank_, values[3]));
    }
    CollectiveCaller caller{static_cast<std::uint32_t>(group.members.size()), own->second, false};
    std::uint32_t root = 0;
    if (has_root(*operation.kind)) {
      root = root_of(values[4], group, values[3]);
      caller.is_root = root == caller.rank;
    }
    const std::uint32_t number = group.called++;
    if (number == group.calls.size()) {
      group.calls.push_back(static_cast<std::uint32_t>(calls_.size()));
      calls_.push_back({&operation, values[3], root, 0, rank_, place_of(number_), {}, {}});
      if (operation.has_own_shares) {
        calls_.back().bytes.resize(group.members.size());
      }
    }
    Call& known = calls_[group.calls[number]];
    expect_same(known, operation, root, number);
    ++known.callers;
    add_bytes(known, {values[5], values[6]}, caller, number);
    add({.kind = Kind::collective, .amount = group.calls[number]});
  }
  std::uint32_t root_of(std::uint64_t root, const Communicator& group, std::uint64_t number) const {
    if (group.is_global) {
      const auto known = group.ranks.find(static_cast<std::uint32_t>(root));
      if (root < ranks_.size() && known != group.ranks.end()) {
        return known->second;
      }
    } else if (root < group.members.size()) {
      return static_cast<std::uint32_t>(root);
    }
    reject(fmt::format("{} is not a root in communicator {}", root, number));
  }
  void expect_same(const Call& known, const Otf2Collective& operation, std::uint32_t root,
                   std::uint32_t number) const {
    if (known.operation != &operation || known.root != root) {
      reject(
          fmt::format("rank {} calls {} with root {} as its collective number {} of communicator "
                      "{}, where rank {} calls {} with root {} ({})",
                      rank_, operation.name, root, number, known.communicator, known.first,
                      known.operation->name, known.root, known.place));
    }
  }
  bool uses_score_p_sizes() const {
    return context_.sizes == Otf2Sizes::score_p ||
           (context_.sizes == Otf2Sizes::by_creator && is_score_p_);
  }
  void add_bytes(Call& call, const CollectiveBytes& bytes, const CollectiveCaller& caller,
                 std::uint32_t number) const {
    if (bytes.sent > most_otf2_bytes || bytes.received > most_otf2_bytes) {
      reject("the collective has more than 2^62 bytes");
    }
    if (call.operation->has_own_shares) {
      call.bytes[caller.rank] = bytes;
      return;
    }
    const std::optional<std::uint64_t> count = at_place(place_of(number_), [&] {
      return shared_count(*call.operation->kind, bytes, caller, uses_score_p_sizes());
    });
    if (count && call.count && *count != *call.count) {
      reject(fmt::format(
          "rank {} calls {} of {} bytes as its collective number {} of communicator "
          "{}, where others call it of {} bytes ({})",
          rank_, call.operation->name, *count, number, call.communicator, *call.count, call.place));
    }
    if (count) {
      call.count = count;
    }
  }

  ScheduledCollective scheduled(Call& call) {
    const Communicator& group = communicators_.at(call.communicator);
    if (call.callers < group.members.size()) {
      throw InputError(call.place,
                       fmt::format("rank {} calls {} in communicator {}, which rank {} does not "
                                   "call as often",
                                   call.first, call.operation->name, call.communicator,
                                   missing_caller(call, group)));
    }
    ScheduledCollective made{
        .kind = *call.operation->kind, .root = call.root, .count = call.count.value_or(0)};
    if (!group.is_world) {
      made.members = group.members;
    }
    at_place(call.place, [&] {
      if (made.kind == CollectiveKind::all_to_allv) {
        made.of_ranks = shares_of_pairs(call.bytes);
      } else if (call.operation->has_own_shares) {
        made.counts = unequal_shares(made.kind, call.bytes, uses_score_p_sizes());
        if (std::ranges::adjacent_find(made.counts, std::ranges::not_equal_to{}) ==
            made.counts.end()) {
          made.count = made.counts.front();
          made.counts.clear();
        }
      }
      return 0;
    });
    call.bytes = {};
    return made;
  }
  /// A member that has called fewer collectives of the group.
  std::uint32_t missing_caller(const Call& call, const Communicator& group) const {
    for (const std::uint32_t rank : group.members) {
      const bool calls = std::ranges::any_of(schedule_.processes[rank], [&](const Operation& of) {
        return of.kind == Kind::collective && &calls_[of.amount] == &call;
      });
      if (!calls) {
        return rank;
      }
    }
    return call.first;
  }

  std::string file_;
  Otf2Context context_;
  RecordJoiner joiner_;
  Schedule schedule_;
  bool is_done_ = false;

  std::optional<ExactTime> tick_;
  bool is_score_p_ = false;
  std::size_t locations_ = 0;
  std::unordered_map<std::uint64_t, bool> is_mpi_region_;
  std::unordered_map<std::uint64_t, std::uint64_t> region_of_context_;
  std::unordered_map<std::uint64_t, Group> groups_;
  std::unordered_map<std::uint64_t, std::uint64_t> group_of_communicator_;
  std::set<std::uint64_t> inter_communicators_;
  std::unordered_map<std::uint64_t, Communicator> communicators_;  ///< that are used
  std::unordered_map<std::uint64_t, std::uint32_t> ranks_;         ///< of locations
  std::map<std::pair<std::uint64_t, std::uint64_t>, Tag> tags_;
  std::optional<std::uint64_t> world_;  ///< the communicator whose tags stay
  std::vector<Call> calls_;
  OpenMessages open_messages_;

  // The current process.
  bool is_in_rank_ = false;
  std::uint32_t rank_ = 0;
  std::uint64_t location_ = 0;
  std::uint64_t number_ = 0;  ///< of the event
  std::uint64_t last_time_ = 0;
  std::size_t mpi_depth_ = 0;
  bool is_in_collective_ = false;
  std::optional<std::uint64_t> computing_since_;
  std::uint64_t computed_ticks_ = 0;  ///< not an operation yet
  /// The send of this call of MPI, if there has been nothing else in it.
  std::optional<std::size_t> open_send_;
  std::unordered_map<std::uint64_t, Pending> pending_;  ///< requests
  std::vector<std::uint32_t> unused_;                   ///< places of requests
  std::uint32_t requests_ = 0;
  bool has_cancelled_ = false;
};

}  // namespace

Schedule read_otf2(const std::filesystem::path& anchor, Otf2Context context) {
  const auto read = reinterpret_cast<Otf2Read>(load_trace_module(otf2_module));
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
