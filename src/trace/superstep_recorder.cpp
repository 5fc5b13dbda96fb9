#include "dcube/trace/superstep_recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "core/mapped.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// What a process does that decides on supersteps. Of one instant waits come first.
struct Event {
  Ticks time{0};
  bool is_send = false;
  std::uint32_t number = 0;  ///< of the delivery, or of the one that was waited for; or none
  ProcessId process;

  auto key() const { return std::tuple{time, is_send, process, number}; }
};

/// Where a process has come to.
struct Place {
  std::uint32_t next = 0;  ///< superstep of its next message
  bool has_sent = false;   ///< since it last waited
};

using FlowKey = std::tuple<ProcessId, ProcessId, std::uint64_t, std::uint64_t>;

FlowKey key_of(const Flow& flow) { return {flow.from, flow.to, flow.bytes, flow.messages}; }

}  // namespace

void SuperstepRecorder::on_interval(const Interval& interval) {
  const bool is_arrival = interval.activity == Activity::communication && interval.message &&
                          interval.message->source != interval.process;
  if (is_arrival && waits_.size() < most_records) {
    waits_.push_back({interval.process, *interval.message, interval.end});
  }
}

void SuperstepRecorder::on_delivery(const Delivery& delivery) {
  const bool is_between_others = delivery.source != delivery.destination &&
                                 delivery.source.index() < processes_ &&
                                 delivery.destination.index() < processes_;
  if (is_between_others && deliveries_.size() < most_records) {
    deliveries_.push_back(delivery);
  }
}

void SuperstepRecorder::on_background_steps(const BackgroundSteps& steps) {
  if (steps.message && waits_.size() < most_records) {
    waits_.push_back({steps.process, *steps.message, steps.begin});
  }
}

/// Superstep of each delivery.
std::vector<std::uint32_t> SuperstepRecorder::steps() const {
  std::vector<std::vector<std::uint32_t>> number_of(processes_);  // [source][send number]
  std::vector<Event> events;
  events.reserve(deliveries_.size() + waits_.size());
  for (std::uint32_t number = 0; number < deliveries_.size(); ++number) {
    const Delivery& delivery = deliveries_[number];
    std::vector<std::uint32_t>& own = number_of[delivery.source.index()];
    own.resize(std::max<std::size_t>(own.size(), delivery.send_number + std::size_t{1}), none);
    own[delivery.send_number] = number;
    events.push_back({delivery.start, true, number, delivery.source});
  }
  for (const Wait& wait : waits_) {
    const std::uint32_t source = wait.message.source.index();
    if (wait.process.index() < processes_ && source < processes_ &&
        wait.message.send_number < number_of[source].size()) {
      events.push_back(
          {wait.end, false, number_of[source][wait.message.send_number], wait.process});
    }
  }
  std::ranges::sort(events, std::less{}, &Event::key);
  std::vector<Place> places(processes_);
  std::vector<std::uint32_t> steps(deliveries_.size());
  for (const Event& event : events) {
    Place& place = places[event.process.index()];
    if (event.is_send) {
      steps[event.number] = place.next;
      place.has_sent = true;
    } else {
      const std::uint32_t after = event.number == none ? 0 : steps[event.number] + 1;
      place.next = std::max(place.next + (place.has_sent ? 1 : 0), after);
      place.has_sent = false;
    }
  }
  return steps;
}

std::vector<Superstep> SuperstepRecorder::supersteps(std::size_t most) const {
  if (std::max(deliveries_.size(), waits_.size()) >= most_records) {
    return {};
  }
  std::vector<std::vector<Flow>> flows;
  const std::vector<std::uint32_t> step_of = steps();
  for (std::size_t i = 0; i < deliveries_.size(); ++i) {
    flows.resize(std::max<std::size_t>(flows.size(), step_of[i] + std::size_t{1}));
    flows[step_of[i]].push_back(
        {deliveries_[i].source, deliveries_[i].destination, deliveries_[i].bytes, 1});
  }
  std::vector<Superstep> supersteps;
  std::map<std::vector<FlowKey>, std::size_t> place_of;
  for (std::vector<Flow>& all : flows) {
    const Traffic sums{processes_, std::move(all)};
    const auto [place, is_new] =
        place_of.try_emplace(mapped(sums.flows(), key_of), supersteps.size());
    if (!is_new) {
      ++supersteps[place->second].times;
      continue;
    }
    if (supersteps.size() == most) {
      return {};
    }
    supersteps.push_back({{sums.flows().begin(), sums.flows().end()}, 1});
  }
  return supersteps;
}

}  // namespace dcube
