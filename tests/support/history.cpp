#include "history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace dcube::testing {

namespace {

std::string text(const Hop& hop) {
  return fmt::format("message {}#{} link {}: reached {} start {} finish {}", hop.source.index(),
                     hop.send_number, hop.link.index(), hop.arrival.count(), hop.start.count(),
                     hop.finish.count());
}

std::string text(const Delivery& delivery) {
  return fmt::format("message {}#{} to {}: start {} arrival {} over {} hops",
                     delivery.source.index(), delivery.send_number, delivery.destination.index(),
                     delivery.start.count(), delivery.arrival.count(), delivery.hops);
}

std::string text(const Interval& interval) {
  const std::string message = interval.message
                                  ? fmt::format("message {} of {}", interval.message->send_number,
                                                interval.message->source.index())
                                  : "no message";
  return fmt::format("process {} does {} from {} to {} with {} for {}, awaits {} ({})",
                     interval.process.index(), static_cast<int>(interval.activity),
                     interval.begin.count(), interval.end.count(), interval.peer.index(), message,
                     static_cast<int>(interval.awaits), interval.send_number);
}

std::string text(const Release& release) {
  return fmt::format("message {}#{} {} at {} since {} {}", release.message.source.index(),
                     release.message.send_number, release.had_arrived ? "is given" : "leaves",
                     release.time.count(),
                     release.arrival
                         ? fmt::format("{}#{} has reached", release.arrival->source.index(),
                                       release.arrival->send_number)
                         : "of",
                     release.process.index());
}

std::string text(const Observation& observed) {
  return fmt::format("process {} at step {} learns at {}: request {}, {} bytes of {}, tag {}",
                     observed.process.index(), observed.step, observed.time.count(),
                     observed.request, observed.bytes, observed.source.index(), observed.tag);
}

template <class Record>
std::string first_difference(const char* what, const std::vector<Record>& engine,
                             const std::vector<Record>& plain) {
  for (std::size_t i = 0; i < std::max(engine.size(), plain.size()); ++i) {
    if (i < engine.size() && i < plain.size() && engine[i] == plain[i]) {
      continue;
    }
    const std::string a = i < engine.size() ? text(engine[i]) : "nothing";
    const std::string b = i < plain.size() ? text(plain[i]) : "nothing";
    if (a != b) {
      return fmt::format("{} {}: engine has [{}], plain simulator [{}]", what, i, a, b);
    }
  }
  return {};
}

}  // namespace

void History::sort() {
  std::ranges::sort(hops, {}, [](const Hop& h) {
    return std::tuple{h.source, h.send_number, h.packet, h.start};
  });
  std::ranges::sort(observations);
  std::ranges::sort(deliveries, {}, [](const Delivery& d) {
    return std::tuple{d.source, d.send_number};
  });
  std::ranges::sort(intervals, {}, [](const Interval& i) {
    return std::tuple{i.process, i.begin};
  });
  std::ranges::sort(releases, {}, &Release::message);
}

History HistoryRecorder::finish(const RunReport& report) {
  history_.ends = report.process_ends;
  for (const BlockedProcess& blocked : report.blocked) {
    history_.blocked.push_back(blocked.process);
  }
  history_.cut_off = report.cut_off;
  history_.sort();
  return std::move(history_);
}

std::string first_different_hop(const std::vector<Hop>& engine, const std::vector<Hop>& plain) {
  return first_difference("hop", engine, plain);
}

/// Cores of ports end an interval where one of them ends an action.
std::vector<Interval> joined(const std::vector<Interval>& intervals) {
  std::vector<Interval> all;
  for (const Interval& next : intervals) {
    const bool is_alone = !next.message && next.activity != Activity::waiting;
    if (is_alone && !all.empty() && !all.back().message && all.back().process == next.process &&
        all.back().activity == next.activity && all.back().end == next.begin) {
      all.back().end = next.end;
    } else {
      all.push_back(next);
    }
  }
  return all;
}

/// What arrives up to an instant.
std::vector<Delivery> until(std::vector<Delivery> deliveries, Ticks last) {
  std::erase_if(deliveries, [&](const Delivery& delivery) { return delivery.arrival > last; });
  return deliveries;
}

std::string difference(const History& engine, const History& plain) {
  if (engine.cut_off || plain.cut_off) {
    if (engine.cut_off != plain.cut_off) {
      return "different messages are cut off";
    }
    const Ticks last = engine.cut_off->time;
    return first_difference("hop", engine.hops, plain.hops) +
           first_difference("delivery", until(engine.deliveries, last),
                            until(plain.deliveries, last));
  }
  std::string text = first_difference("hop", engine.hops, plain.hops);
  text += first_difference("delivery", engine.deliveries, plain.deliveries);
  text += plain.has_cores_of_ports
              ? first_difference("interval", joined(engine.intervals), joined(plain.intervals))
              : first_difference("interval", engine.intervals, plain.intervals);
  text += first_difference("release", engine.releases, plain.releases);
  text += first_difference("observation", engine.observations, plain.observations);
  if (engine.ends != plain.ends) {
    text += "processes end at different times";
  }
  if (engine.blocked != plain.blocked) {
    text += "different processes are blocked";
  }
  return text;
}

}  // namespace dcube::testing
