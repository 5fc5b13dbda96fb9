#include "otf2_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// What a request of this kind is.
std::string_view name_of(Operation::Kind kind) {
  return kind == Operation::Kind::post_send ? "send"
         : kind == Operation::Kind::start   ? "collective"
                                            : "receive";
}

}  // namespace

void Otf2Events::begin_rank(std::uint64_t location) {
  refuse_if(!definitions_.tick(), place_.file, "does not say the resolution of its clock");
  rank_ = definitions_.rank_of(location);
  place_.location = location;
  place_.event = 0;
  mpi_depth_ = 0;
  is_in_collective_ = false;
  computing_since_.reset();
  off_since_.reset();
  last_time_ = 0;
  open_send_.reset();
  has_removed_ = false;
  places_ = {};
  collectives_.begin_rank(rank_);
  place_.is_in_rank = true;
}

void Otf2Events::end_rank() {
  if (!place_.is_in_rank) {
    return;
  }
  interrupt_computing(last_time_);
  switch_recording(true, last_time_);
  flush_computing();
  for (const auto& [request, pending] : pending_) {
    if (pending.kind != Kind::post_send) {
      place_.event = pending.number;
      place_.reject(
          pending.kind == Kind::start
              ? fmt::format("NON_BLOCKING_COLLECTIVE_REQUEST {} is not completed", request)
              : fmt::format("the receive of MPI_IRECV_REQUEST {} is neither completed "
                            "nor cancelled",
                            request));
    }
  }
  pending_.clear();
  if (has_removed_) {
    std::erase_if(operations(), [](const Operation& operation) {
      return operation.kind == Kind::compute && operation.amount == 0;
    });
  }
  place_.is_in_rank = false;
}

void Otf2Events::happen(const Otf2Record& record, std::string_view payload) {
  const auto& values = record.values;
  const std::uint64_t time = values[0];
  place_.event = values[1];
  place_.reject_if(time < last_time_, "is earlier than the event before it");
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
      enter(definitions_.region_of_context(values[2]), time);
      break;
    case otf2_leave_context:
      leave(definitions_.region_of_context(values[2]), time);
      break;
    case otf2_program_event:
      break;
    case otf2_flush:
      ignored_.count("BUFFER_FLUSH");
      flush_buffer(time, values[2]);
      break;
    case otf2_recording:
      ignored_.count("MEASUREMENT_ON_OFF");
      switch_recording(values[2] == 1, time);
      break;
    case otf2_other:
      if (const bool moves_data = values[2] != 0; !moves_data) {
        ignored_.count(payload);
      } else if (!ignored_.leaves_out(payload)) {
        place_.reject(fmt::format("{} is not simulated (\"ignore\": [\"{}\"] leaves it out)",
                                  printable(payload), printable(payload)));
      }
      break;
    default:
      begin_mpi(time);
      communicate(record);
      break;
  }
}

// --- Computing

/// The process computes between its calls of MPI.
void Otf2Events::enter(std::uint64_t region, std::uint64_t time) {
  if (definitions_.is_mpi(region)) {
    if (mpi_depth_++ == 0) {
      compute_until(time);
    }
  }
}

void Otf2Events::leave(std::uint64_t region, std::uint64_t time) {
  if (!definitions_.is_mpi(region)) {
    return;
  }
  place_.reject_if(mpi_depth_ == 0, "leaves a call of MPI that it has not entered");
  if (--mpi_depth_ == 0) {
    begin_computing(time);
    open_send_.reset();
  }
}

/// An event of MPI; if no regions are recorded, it is the whole call.
void Otf2Events::begin_mpi(std::uint64_t time) {
  if (mpi_depth_ == 0) {
    if (!is_in_collective_) {
      compute_until(time);
    }
    begin_computing(time);
    open_send_.reset();
  }
}

/// An unfinished flush delays computing.
void Otf2Events::begin_computing(std::uint64_t time) {
  computing_since_ = std::max(time, computing_since_.value_or(0));
}

void Otf2Events::compute_until(std::uint64_t time) {
  if (!off_since_ && computing_since_ && time > *computing_since_) {
    computed_ticks_ += time - *computing_since_;
  }
  begin_computing(time);
}

/// Ends a stretch of computing, in a call of MPI or between calls.
void Otf2Events::interrupt_computing(std::uint64_t time) {
  if (mpi_depth_ == 0 && !is_in_collective_) {
    compute_until(time);
  }
}

/// Leaves out the recorder's writing of its buffer, which is no part of the program.
void Otf2Events::flush_buffer(std::uint64_t begin, std::uint64_t end) {
  place_.reject_if(end < begin, "ends before it begins");
  interrupt_computing(begin);
  begin_computing(end);
  leave_out("BUFFER_FLUSH", end - begin);
}

/// Leaves out the time without recording, which is unknown.
void Otf2Events::switch_recording(bool is_on, std::uint64_t time) {
  interrupt_computing(time);
  if (!is_on && !off_since_) {
    off_since_ = time;
  } else if (is_on && off_since_) {
    leave_out("MEASUREMENT_ON_OFF", time - *std::exchange(off_since_, std::nullopt));
  }
}

void Otf2Events::leave_out(std::string_view name, std::uint64_t ticks) {
  if (ticks > 0) {
    std::uint64_t& sum = left_out_ticks_[std::string{name}];
    place_.reject_if(__builtin_add_overflow(sum, ticks, &sum),
                     "more passes in all than can be counted");
  }
}

std::map<std::string, Ticks> Otf2Events::left_out_times() const {
  std::map<std::string, Ticks> times;
  for (const auto& [name, ticks] : left_out_ticks_) {
    times[name] = time_of(ticks);
  }
  return times;
}

Ticks Otf2Events::time_of(std::uint64_t ticks) const {
  return at_place(place_.is_in_rank ? place_.text() : place_.file,
                  [&] { return round_cost(ExactTime{}, *definitions_.tick(), ticks); });
}

void Otf2Events::flush_computing() {
  if (const std::uint64_t ticks = std::exchange(computed_ticks_, 0); ticks > 0) {
    if (const Ticks time = time_of(ticks); time > Ticks{0}) {
      operations().push_back(
          {.kind = Kind::compute, .amount = static_cast<std::uint64_t>(time.count())});
    }
  }
}

// --- Messages and requests

void Otf2Events::add(const Operation& operation) {
  flush_computing();
  operations().push_back(operation);
}

void Otf2Events::communicate(const Otf2Record& record) {
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
      complete(values[2], Kind::post_send);
      break;
    case otf2_irecv: {
      const Operation known = message(Kind::post_receive, values);
      Operation& posted = operations()[complete(values[6], Kind::post_receive)];
      posted.peer = known.peer;
      posted.tag = known.tag;
      --open_messages_[{known.peer.index(), rank_}];
      break;
    }
    case otf2_request_test:
      break;  // a failed test
    case otf2_request_cancelled:
      cancel(values[2]);
      break;
    case otf2_collective_begin:
      place_.reject_if(is_in_collective_, "begins a collective within a collective");
      is_in_collective_ = true;
      break;
    case otf2_collective_end:
      place_.reject_if(!is_in_collective_, "ends a collective that has not begun");
      is_in_collective_ = false;
      if (!called_.empty()) {
        add({.kind = Kind::collective});
        called_.push_back({operations().size() - 1, {}, record});
      } else if (const std::optional<std::uint32_t> called = collectives_.call(values)) {
        add({.kind = Kind::collective, .amount = *called});
      }
      break;
    case otf2_collective_request:
      if (!ignored_.leaves_out("NON_BLOCKING_COLLECTIVE_REQUEST")) {
        post({.kind = Kind::start}, values[2]);
        called_.push_back({operations().size() - 1, {}, {}});
      }
      break;
    case otf2_collective_complete:
      if (!ignored_.leaves_out("NON_BLOCKING_COLLECTIVE_COMPLETE")) {
        complete_collective(record);
      }
      break;
    default:
      throw ContractViolation("a module tells only what it may tell");
  }
  open_send_.reset();
}

/// A send or receive, with peer, communicator, tag and bytes in `values`.
Operation Otf2Events::message(Kind kind, const std::uint64_t (&values)[8]) {
  const Otf2Definitions::Communicator& of = definitions_.communicator(values[3]);
  std::uint64_t peer = values[2];
  if (of.is_self) {
    place_.reject_if(peer != 0 && !(of.is_global && peer == rank_),
                     "{} is not a rank of communicator {} (0)", peer, values[3]);
    peer = rank_;
  } else if (!of.is_global) {
    place_.reject_if(peer >= of.members.size(), "{} is not a rank of communicator {} (0 to {})",
                     peer, values[3], of.members.size() - 1);
    peer = of.members[peer];
  } else if (peer >= definitions_.rank_count()) {
    place_.reject(fmt::format("{} is not a rank (0 to {})", peer, definitions_.rank_count() - 1));
  }
  place_.reject_if(values[5] > most_otf2_bytes, "the message has more than 2^62 bytes");
  return {.kind = kind,
          .tag = tag_of(values[3], of, values[4]),
          .peer = ProcessId{static_cast<std::uint32_t>(peer)},
          .amount = kind == Kind::send || kind == Kind::post_send ? values[5] : 0};
}

/// Tags of the world keep their values. Tags of other communicators are numbered as they come.
Tag Otf2Events::tag_of(std::uint64_t number, const Otf2Definitions::Communicator& of,
                       std::uint64_t tag) {
  constexpr std::uint64_t first_of_others = std::uint64_t{1} << 30;
  if (of.is_world && tag < first_of_others && (!world_ || *world_ == number)) {
    world_ = number;
    return static_cast<Tag>(tag);
  }
  const auto next = static_cast<Tag>(first_of_others + tags_.size());
  const Tag known = tags_.emplace(std::pair{number, tag}, next).first->second;
  place_.reject_if(known >= first_collective_tag, "the trace has more than 2^30 tags");
  return known;
}

/// Turns the send of an MPI_Sendrecv, which comes first, into a posted one.
void Otf2Events::receive(const std::uint64_t (&values)[8]) {
  const Operation received = message(Kind::receive, values);
  --open_messages_[{received.peer.index(), rank_}];
  if (!open_send_) {
    add(received);
    return;
  }
  const std::uint32_t place = places_.take();
  Operation& sent = operations()[*std::exchange(open_send_, std::nullopt)];
  sent.kind = Kind::post_send;
  sent.request = place;
  add(received);
  add({.kind = Kind::wait, .request = place});
  places_.free(place);
}

void Otf2Events::post(Operation operation, std::uint64_t request) {
  operation.request = places_.take();
  add(operation);
  const Pending pending{operation.kind, operations().size() - 1, place_.event};
  place_.reject_if(!pending_.emplace(request, pending).second, "request {} is posted already",
                   request);
}

const Otf2Events::Pending& Otf2Events::pending(std::uint64_t request) const {
  const auto known = pending_.find(request);
  place_.reject_if(known == pending_.end(), "request {} is not posted", request);
  return known->second;
}

/// Waits for the request. Returns the index of its operation.
std::size_t Otf2Events::complete(std::uint64_t request, Kind kind) {
  const Pending known = pending(request);
  place_.reject_if(known.kind != kind, "request {} is a {}", request, name_of(known.kind));
  const std::uint32_t place = operations()[known.operation].request;
  add({.kind = Kind::wait, .request = place});
  places_.free(place);
  pending_.erase(request);
  return known.operation;
}

void Otf2Events::complete_collective(const Otf2Record& record) {
  const std::size_t started = complete(record.values[7], Kind::start);
  const auto called = std::ranges::find(called_, started, &Called::operation);
  called->waited = operations().size() - 1;
  called->record = record;
  number_collectives();
}

/// Numbers collectives in the order in which they were called, which all processes share.
void Otf2Events::number_collectives() {
  const std::uint64_t event = place_.event;
  while (!called_.empty() && called_.front().record) {
    const Called next = std::move(called_.front());
    called_.pop_front();
    place_.event = next.record->values[1];
    if (const std::optional<std::uint32_t> number = collectives_.call(next.record->values)) {
      operations()[next.operation].amount = *number;
    } else {
      remove(next.operation);
      if (next.waited) {
        remove(*next.waited);
      }
    }
  }
  place_.event = event;
}

/// Removes a cancelled request, which is neither sent nor received.
void Otf2Events::cancel(std::uint64_t request) {
  const Pending known = pending(request);
  place_.reject_if(known.kind == Kind::start,
                   "request {} is a collective, which cannot be cancelled", request);
  const Operation& operation = operations()[known.operation];
  if (known.kind == Kind::post_send) {
    --open_messages_[{rank_, operation.peer.index()}];
  }
  places_.free(operation.request);
  remove(known.operation);
  pending_.erase(request);
}

/// Turns an operation into a computation of no time, which end_rank() erases.
void Otf2Events::remove(std::size_t operation) {
  operations()[operation] = {.kind = Kind::compute, .amount = 0};
  has_removed_ = true;
}

}  // namespace dcube
