#include "dcube/trace/causal_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/engine/memory.hpp"

namespace dcube {

namespace {

constexpr std::uint32_t packed_no_stage = (std::uint32_t{1} << 29) - 1;
constexpr std::uint64_t bytes_between_checks = std::uint64_t{1} << 26;
constexpr std::uint64_t bytes_to_leave_free = std::uint64_t{1} << 28;

// Measured on cc_dcube with 2^12 to 2^20 processes, most of all where everybody waits and messages
// queue; docs/why.md has the figures.
constexpr std::uint64_t bytes_per_process = 200;
constexpr std::uint64_t bytes_per_process_and_stage = 400;

/// Grows by a quarter: millions of short lists must not double.
template <class T>
void append(std::vector<T>& list, const T& value) {
  constexpr std::size_t least_room = 4;
  if (list.size() == list.capacity()) {
    list.reserve(list.size() + std::max(least_room, list.size() / 4));
  }
  list.push_back(value);
}

}  // namespace

CausalRecord::CausalRecord(std::uint32_t process_count)
    : processes_(process_count), bytes_until_check_{bytes_between_checks} {}

std::uint64_t CausalRecord::estimated_bytes(std::uint32_t process_count,
                                            std::uint32_t stage_count) {
  const std::uint64_t stages = std::max<std::uint32_t>(stage_count, 1);
  return process_count * (bytes_per_process + stages * bytes_per_process_and_stage);
}

void CausalRecord::on_interval(const Interval& interval) {
  ProcessRecord& record = processes_[interval.process.index()];
  PackedStep step{.end = interval.end,
                  .peer = interval.peer.index(),
                  .activity = static_cast<std::uint32_t>(interval.activity) & 7U,
                  .stage = interval.stage & packed_no_stage};
  ++step_count_;
  note_growth(sizeof(PackedStep));
  if (interval.activity == Activity::communication) {
    const MessageName name = interval.message.value();
    expects(name == MessageName{last_delivery_.source, last_delivery_.send_number},
            "communication is reported right after the delivery that ends it");
    step.peer = static_cast<std::uint32_t>(record.messages.size());
    append(record.messages, {name, last_delivery_.bytes, last_delivery_.start});
    note_growth(sizeof(AwaitedMessage));
  }
  append(record.steps, step);
}

void CausalRecord::on_hop(const Hop& hop) {
  if (hop.arrival == hop.start) {
    return;
  }
  append(queued_hops_, {{hop.source, hop.send_number}, hop.link, hop.arrival, hop.start});
  first_hop_of_.clear();
  note_growth(sizeof(QueuedHop));
}

CausalRecord::Step CausalRecord::step(ProcessId process, std::uint32_t index) const {
  const ProcessRecord& record = processes_[process.index()];
  const PackedStep& packed = record.steps[index];
  const auto activity = static_cast<Activity>(packed.activity);
  const bool has_message = activity == Activity::communication;
  return {.activity = activity,
          .stage = packed.stage == packed_no_stage ? no_stage : packed.stage,
          .begin = index == 0 ? Ticks{0} : record.steps[index - 1].end,
          .end = packed.end,
          .peer = has_message ? record.messages[packed.peer].name.source : ProcessId{packed.peer}};
}

const AwaitedMessage& CausalRecord::message(ProcessId process, std::uint32_t index) const {
  const ProcessRecord& record = processes_[process.index()];
  const PackedStep& step = record.steps[index];
  expects(static_cast<Activity>(step.activity) == Activity::communication,
          "communication is what has a message");
  return record.messages[step.peer];
}

std::optional<std::uint32_t> CausalRecord::step_ending_at(ProcessId process, Ticks time) const {
  const std::vector<PackedStep>& steps = processes_[process.index()].steps;
  const auto found = std::ranges::lower_bound(steps, time, {}, &PackedStep::end);
  if (found == steps.end() || found->end != time) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(found - steps.begin());
}

std::span<const QueuedHop> CausalRecord::queued_hops(const MessageName& message) const {
  if (queued_hops_.empty()) {
    return {};
  }
  if (first_hop_of_.empty()) {
    sort_hops();
  }
  const std::size_t first = first_hop_of_[message.source.index()];
  const std::span<const QueuedHop> of_source{queued_hops_.data() + first,
                                             first_hop_of_[message.source.index() + 1] - first};
  const auto range = std::ranges::equal_range(of_source, message, {}, &QueuedHop::message);
  return {range.begin(), range.end()};
}

void CausalRecord::sort_hops() const {
  std::ranges::sort(queued_hops_, {}, [](const QueuedHop& hop) {
    return std::pair{hop.message, hop.arrival};
  });
  first_hop_of_.assign(processes_.size() + 1, 0);
  for (const QueuedHop& hop : queued_hops_) {
    ++first_hop_of_[hop.message.source.index() + 1];
  }
  std::partial_sum(first_hop_of_.begin(), first_hop_of_.end(), first_hop_of_.begin());
}

/// A run without stages, or one whose messages queue everywhere, may outgrow every estimate.
void CausalRecord::note_growth(std::uint64_t bytes) {
  if (bytes < bytes_until_check_) [[likely]] {
    bytes_until_check_ -= bytes;
    return;
  }
  bytes_until_check_ = bytes_between_checks;
  if (available_memory_bytes() < bytes_to_leave_free) {
    throw MemoryError(
        "",
        fmt::format("the record of causes does not fit in memory ({} intervals and {} queued hops "
                    "so far); run without --why, or simulate a smaller case",
                    step_count_, queued_hops_.size()));
  }
}

}  // namespace dcube
