#include "dcube/trace/causal_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/engine/memory.hpp"

namespace dcube {

namespace {

constexpr std::uint32_t packed_no_stage = (std::uint32_t{1} << 28) - 1;

// Kinds of steps: an Activity, or one of these. Waiting is told apart by what it is for.
constexpr std::uint32_t held_communication = activity_count;
constexpr std::uint32_t first_wait = held_communication + 1;
static_assert(first_wait + static_cast<std::uint32_t>(Awaits::core) < 16);

constexpr std::uint32_t kind_of(Activity activity) { return static_cast<std::uint32_t>(activity); }
constexpr std::uint32_t kind_of(Awaits awaits) {
  return first_wait + static_cast<std::uint32_t>(awaits);
}

constexpr std::uint64_t bytes_between_checks = std::uint64_t{1} << 26;
constexpr std::uint64_t bytes_of_a_map_entry = 64;
constexpr std::uint64_t bytes_to_leave_free = std::uint64_t{1} << 28;

// Measured on cc_dcube with 2^12 to 2^20 processes, most of all where everybody waits and messages
// queue; docs/reference/why.md has the figures.
constexpr std::uint64_t bytes_per_process = 200;
constexpr std::uint64_t bytes_per_process_and_stage = 400;

constexpr std::size_t chunk_steps = std::size_t{1} << 16;

MessageName message_of(const Delivery& delivery) { return {delivery.source, delivery.send_number}; }

}  // namespace

CausalRecord::CausalRecord(std::uint32_t process_count, const LinkModel& links)
    : keeps_all_hops_{links.packet_bytes.has_value() || links.routing.kind != Routing::fixed ||
                      !links.faults.empty()},
      first_step_(std::size_t{process_count} + 1, 0),
      bytes_until_check_{bytes_between_checks} {}

std::uint64_t CausalRecord::estimated_bytes(std::uint32_t process_count,
                                            std::uint32_t stage_count) {
  const std::uint64_t stages = std::max<std::uint32_t>(stage_count, 1);
  return process_count * (bytes_per_process + stages * bytes_per_process_and_stage);
}

void CausalRecord::on_interval(const Interval& interval) {
  PackedStep step{.end = interval.end,
                  .peer = interval.peer.index(),
                  .kind = kind_of(interval.activity) & 15U,
                  .stage = interval.stage & packed_no_stage};
  if (interval.activity == Activity::communication) {
    note_communication(interval, step);
  } else if (interval.activity == Activity::waiting) {
    note_wait(interval, step);
  }
  if (log_.empty() || log_.back().size() == chunk_steps) {
    log_.emplace_back().reserve(chunk_steps);
    note_growth(chunk_steps * sizeof(LoggedStep));
  }
  log_.back().push_back({step, interval.process});
  ++first_step_[interval.process.index()];
}

void CausalRecord::note_wait(const Interval& interval, PackedStep& step) {
  step.kind = kind_of(interval.awaits) & 15U;
  if (interval.awaits != Awaits::receiver) {
    return;
  }
  const auto released = released_.find({interval.process, interval.send_number});
  if (released != released_.end() && released->second != Origin{interval.peer}) {
    ends_[{interval.process, step_number(interval.process)}] = released->second;
    note_growth(bytes_of_a_map_entry);
  }
}

void CausalRecord::note_communication(const Interval& interval, PackedStep& step) {
  const MessageName name = interval.message.value();
  go_to(interval.end);
  if (!given_.empty()) [[unlikely]] {
    const auto given = std::ranges::find(given_, name, &std::pair<MessageName, Origin>::first);
    if (given != given_.end()) {
      step.kind = held_communication & 15U;
      step.peer = name.source.index();
      ends_[{interval.process, step_number(interval.process)}] = given->second;
      note_growth(bytes_of_a_map_entry);
      return;
    }
  }
  step.peer = static_cast<std::uint32_t>(messages_.size());
  if (name.source == interval.process) [[unlikely]] {
    sent_to_[step.peer] = interval.peer;
    note_growth(bytes_of_a_map_entry);
  }
  if (released_.empty() && !deliveries_.empty() && name == message_of(deliveries_.back()))
      [[likely]] {
    messages_.push_back({name, deliveries_.back().bytes, deliveries_.back().start});
  } else {
    unfilled_.push_back({name, step.peer});
    messages_.push_back({name, 0, Ticks{0}});
  }
  note_growth(sizeof(AwaitedMessage));
}

/// Completes a message with the facts of its delivery.
void CausalRecord::fill(std::size_t place, const Delivery& delivery) const {
  AwaitedMessage& message = messages_[place];
  message.bytes = delivery.bytes;
  message.start = delivery.start;
  if (!released_.empty()) [[unlikely]] {
    const auto released = released_.find(message.name);
    if (released != released_.end()) {
      starts_[static_cast<std::uint32_t>(place)] = released->second;
    }
  }
}

void CausalRecord::on_release(const Release& release) {
  const Origin origin = release.arrival ? note_arrival(*release.arrival) : Origin{release.process};
  if (release.had_arrived) {
    go_to(release.time);
    given_.emplace_back(release.message, origin);
  } else {
    released_[release.message] = origin;
  }
}

/// Keeps a message that has been delivered at this instant.
Origin CausalRecord::note_arrival(const MessageName& name) {
  const auto delivery = std::ranges::find(deliveries_, name, message_of);
  expects(delivery != deliveries_.end(), "the arrival that decides is that of a message delivered");
  const auto place = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back({name, 0, Ticks{0}});
  fill(place, *delivery);
  arrivals_.push_back({place, delivery->destination, delivery->arrival});
  note_growth(sizeof(AwaitedMessage) + sizeof(DecisiveArrival));
  return {name.source, static_cast<std::uint32_t>(arrivals_.size() - 1)};
}

void CausalRecord::on_delivery(const Delivery& delivery) {
  if (delivery.source == delivery.destination) {
    return;  // told at its sender's own time; nobody waits while it is on its way
  }
  go_to(delivery.arrival);
  deliveries_.push_back(delivery);
  if (!collectives_.empty()) {
    kept_deliveries_.push_back(delivery);
    if (const auto released = released_.find({delivery.source, delivery.send_number});
        released != released_.end()) {
      kept_origins_.insert(*released);
    }
    note_growth(sizeof delivery);
  }
}

void CausalRecord::on_background(const BackgroundCollective& collective) {
  if (collectives_.empty()) {
    collectives_.resize(process_count());
    latest_.resize(process_count());
    background_.resize(process_count());
  }
  std::vector<BackgroundCollective>& own = collectives_[collective.process.index()];
  std::vector<std::uint32_t>& latest = latest_[collective.process.index()];
  if (collective.end != BackgroundCollective::not_yet) {
    own[latest[collective.number]] = collective;
    return;
  }
  latest.resize(std::max<std::size_t>(latest.size(), std::size_t{collective.number} + 1));
  latest[collective.number] = static_cast<std::uint32_t>(own.size());
  own.push_back(collective);
  note_growth(sizeof collective);
}

void CausalRecord::on_background_steps(const BackgroundSteps& steps) {
  NotedSteps& noted = background_[steps.process.index()].emplace_back();
  noted.steps = steps;
  noted.steps.collective = latest_[steps.process.index()][steps.collective];
  is_linked_ = false;
  note_growth(sizeof noted);
}

/// Joins steps with the steps before them, and with the messages that they waited for.
void CausalRecord::link_background() const {
  is_linked_ = true;
  std::ranges::sort(kept_deliveries_, {}, message_of);
  for (std::uint32_t process = 0; process < background_.size(); ++process) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;  // collective, port
    for (std::uint32_t i = 0; i < background_[process].size(); ++i) {
      NotedSteps& noted = background_[process][i];
      const auto [at_port, is_first] =
          last.try_emplace({noted.steps.collective, noted.steps.port}, i);
      if (!is_first) {
        noted.before = std::exchange(at_port->second, i);
      }
      if (!noted.steps.message) {
        continue;
      }
      if (noted.steps.message->source != ProcessId{process}) {
        receiving_.emplace_back(*noted.steps.message, StepName{ProcessId{process}, i});
      }
      const auto found =
          std::ranges::lower_bound(kept_deliveries_, *noted.steps.message, {}, message_of);
      expects(
          found != kept_deliveries_.end() && found->send_number == noted.steps.message->send_number,
          "steps come after the delivery of their message");
      noted.delivery = static_cast<std::uint32_t>(found - kept_deliveries_.begin());
      if (found->arrival == noted.steps.begin) {
        const auto place = static_cast<std::uint32_t>(messages_.size());
        messages_.push_back({*noted.steps.message, found->bytes, found->start});
        if (const auto origin = kept_origins_.find(*noted.steps.message);
            origin != kept_origins_.end()) {
          starts_[place] = origin->second;
        }
        noted.arrival = static_cast<std::uint32_t>(arrivals_.size());
        arrivals_.push_back({place, found->destination, found->arrival});
      }
    }
  }
  std::ranges::sort(receiving_);
}

std::span<const NotedSteps> CausalRecord::background(ProcessId process) const {
  if (!is_linked_) {
    link_background();
  }
  return background_.empty() ? std::span<const NotedSteps>{}
                             : std::span<const NotedSteps>{background_[process.index()]};
}

std::span<const Delivery> CausalRecord::deliveries() const {
  background(ProcessId{0});
  return kept_deliveries_;
}

std::optional<std::uint32_t> CausalRecord::background_at(ProcessId process, Ticks time) const {
  const std::span<const NotedSteps> all = background(process);
  const auto after = std::ranges::lower_bound(
      all, time, {}, [](const NotedSteps& one) { return one.steps.begin; });
  if (after == all.begin() || std::prev(after)->steps.end < time) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(after - all.begin()) - 1;
}

std::optional<std::uint32_t> CausalRecord::background_sending(const MessageName& message) const {
  const std::span<const NotedSteps> all = background(message.source);
  const auto found = std::ranges::upper_bound(
      all, message.send_number, {}, [](const NotedSteps& one) { return one.steps.sends_end; });
  if (found == all.end() || found->steps.first_send > message.send_number) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(found - all.begin());
}

std::optional<std::pair<ProcessId, std::uint32_t>> CausalRecord::background_receiving(
    const MessageName& message) const {
  background(message.source);
  const auto found =
      std::ranges::lower_bound(receiving_, message, {}, &std::pair<MessageName, StepName>::first);
  return found != receiving_.end() && found->first == message ? std::optional{found->second}
                                                              : std::nullopt;
}

void CausalRecord::go_to(Ticks instant) {
  if (instant != instant_) {
    fill_messages();
    expects(unfilled_.empty(),
            "communication is reported at the instant of the delivery that ends it");
    for (auto delivery = deliveries_.begin(); !released_.empty() && delivery != deliveries_.end();
         ++delivery) {
      released_.erase({delivery->source, delivery->send_number});
    }
    deliveries_.clear();
    given_.clear();
    instant_ = instant;
  }
}

/// Messages that are under way when the run ends stay unfilled.
void CausalRecord::fill_messages() const {
  if (unfilled_.empty()) [[likely]] {
    return;
  }
  std::ranges::sort(unfilled_, {}, &Unfilled::name);
  std::size_t filled = 0;
  for (const Delivery& delivery : deliveries_) {
    const MessageName name = message_of(delivery);
    auto found = std::ranges::lower_bound(unfilled_, name, {}, &Unfilled::name);
    for (; found != unfilled_.end() && found->name == name; ++found) {
      fill(found->place, delivery);
      ++filled;
    }
  }
  if (filled == unfilled_.size()) {
    unfilled_.clear();
  }
}

void CausalRecord::on_hop(const Hop& hop) {
  if (hop.arrival == hop.start && !keeps_all_hops_) {
    return;
  }
  hops_.push_back(
      {{hop.source, hop.send_number}, hop.packet, hop.link, hop.arrival, hop.start, hop.finish});
  first_hop_of_.clear();
  note_growth(sizeof(NotedHop));
}

/// Gives every process its steps in order, and frees the memory of the log on the way.
void CausalRecord::sort_steps() const {
  fill_messages();
  std::exclusive_scan(first_step_.begin(), first_step_.end(), first_step_.begin(),
                      std::uint64_t{0});
  steps_.resize(first_step_.back());
  std::vector<std::uint64_t> next(first_step_.begin(), first_step_.end() - 1);
  for (Chunk& chunk : log_) {
    for (const LoggedStep& logged : chunk) {
      steps_[next[logged.process.index()]++] = logged.step;
    }
    chunk = {};
  }
  log_.clear();
}

std::span<const CausalRecord::PackedStep> CausalRecord::steps_of(ProcessId process) const {
  if (!log_.empty()) [[unlikely]] {
    expects(steps_.empty(), "a record is asked when its run has ended");
    sort_steps();
  }
  if (steps_.empty()) {
    return {};
  }
  const std::uint64_t first = first_step_[process.index()];
  return {steps_.data() + first, first_step_[process.index() + 1] - first};
}

CausalRecord::Step CausalRecord::step(ProcessId process, std::uint32_t index) const {
  const std::span<const PackedStep> steps = steps_of(process);
  const PackedStep& packed = steps[index];
  const bool has_number = packed.kind == kind_of(Activity::communication);
  const bool is_held = packed.kind == held_communication;
  const bool waits = packed.kind >= first_wait;
  return {.activity = waits     ? Activity::waiting
                      : is_held ? Activity::communication
                                : static_cast<Activity>(packed.kind),
          .stage = packed.stage == packed_no_stage ? no_stage : packed.stage,
          .begin = index == 0 ? Ticks{0} : steps[index - 1].end,
          .end = packed.end,
          .peer = has_number ? messages_[packed.peer].name.source : ProcessId{packed.peer},
          .awaits = waits ? static_cast<Awaits>(packed.kind - first_wait) : Awaits::nothing,
          .is_held = is_held};
}

std::uint32_t CausalRecord::message_number(ProcessId process, std::uint32_t index) const {
  const PackedStep& step = steps_of(process)[index];
  expects(step.kind == kind_of(Activity::communication), "communication is what has a message");
  return step.peer;
}

Origin CausalRecord::start_of(std::uint32_t message) const {
  const MessageName& name = messages_[message].name;
  Origin origin{name.source};
  if (!starts_.empty()) [[unlikely]] {
    if (const auto found = starts_.find(message); found != starts_.end()) {
      origin = found->second;
    }
  }
  return collectives_.empty() ? origin : in_background(origin, name);
}

Origin CausalRecord::start_of(const MessageName& message) const {
  const auto released = kept_origins_.find(message);
  return in_background(released == kept_origins_.end() ? Origin{message.source} : released->second,
                       message);
}

/// The steps that sent the message, or asked for it.
Origin CausalRecord::in_background(Origin origin, const MessageName& message) const {
  if (origin.arrival != Origin::none) {
    return origin;
  }
  if (origin.process == message.source) {
    origin.steps = background_sending(message).value_or(Origin::none);
  } else if (const auto receiving = background_receiving(message);
             receiving && receiving->first == origin.process) {
    origin.steps = background(receiving->first)[receiving->second].before;
  }
  return origin;
}

/// Waiting for a message ends when it starts; the step that follows is its communication.
Origin CausalRecord::end_of(ProcessId process, std::uint32_t index) const {
  const std::span<const PackedStep> steps = steps_of(process);
  const PackedStep& step = steps[index];
  if ((!starts_.empty() || !collectives_.empty()) && step.kind == kind_of(Awaits::message) &&
      index + 1 < steps.size() && steps[index + 1].kind == kind_of(Activity::communication)) {
    return start_of(steps[index + 1].peer);
  }
  if (!ends_.empty()) {
    const auto found = ends_.find({process, index});
    if (found != ends_.end()) {
      return found->second;
    }
  }
  return {ProcessId{step.peer}};
}

std::optional<std::uint32_t> CausalRecord::step_ending_at(ProcessId process, Ticks time) const {
  const std::span<const PackedStep> steps = steps_of(process);
  const auto found = std::ranges::lower_bound(steps, time, {}, &PackedStep::end);
  if (found == steps.end() || found->end != time) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(found - steps.begin());
}

std::span<const NotedHop> CausalRecord::hops(const MessageName& message) const {
  if (hops_.empty()) {
    return {};
  }
  if (first_hop_of_.empty()) {
    sort_hops();
  }
  const std::size_t first = first_hop_of_[message.source.index()];
  const std::span<const NotedHop> of_source{hops_.data() + first,
                                            first_hop_of_[message.source.index() + 1] - first};
  const auto begin = std::ranges::lower_bound(of_source, message, {}, &NotedHop::message);
  const auto end = std::ranges::upper_bound(of_source, message, {}, &NotedHop::message);
  return {begin, end};
}

void CausalRecord::sort_hops() const {
  std::ranges::sort(hops_, {}, [](const NotedHop& hop) {
    return std::tuple{hop.message, hop.packet, hop.arrival};
  });
  first_hop_of_.assign(first_step_.size(), 0);
  for (const NotedHop& hop : hops_) {
    ++first_hop_of_[hop.message.source.index() + 1];
  }
  std::partial_sum(first_hop_of_.begin(), first_hop_of_.end(), first_hop_of_.begin());
}

/// Runs without stages, and runs whose messages queue everywhere, may outgrow the estimate.
void CausalRecord::note_growth(std::uint64_t bytes) {
  if (bytes < bytes_until_check_) [[likely]] {
    bytes_until_check_ -= bytes;
    return;
  }
  bytes_until_check_ = bytes_between_checks;
  if (available_memory_bytes() < bytes_to_leave_free) {
    throw MemoryError(
        "",
        fmt::format("the record of causes does not fit in memory ({} messages waited for and {} "
                    "hops so far); run without `.why`, or simulate a smaller case",
                    messages_.size(), hops_.size()));
  }
}

}  // namespace dcube
