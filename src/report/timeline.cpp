#include "timeline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/network/host_machine.hpp"

namespace dcube::report {

using nlohmann::ordered_json;

namespace {

constexpr std::uint32_t most_groups = 32;
constexpr std::size_t group_bins = 240;
constexpr std::size_t tile_bins = 120;
/// Activities without the last one, idle, which is the rest of a bin.
constexpr std::size_t counted_activities = activity_count - 1;
enum TileThing : std::size_t { links_busy, processes_waiting, tile_things };

std::vector<std::uint32_t> nodes_of_processes(const Scenario& scenario) {
  std::vector<std::uint32_t> nodes = mapped(scenario.embedding->map(), &NodeId::index);
  if (scenario.program->uses_host()) {
    nodes.push_back(host_node(*scenario.machine).index());
  }
  return nodes;
}

/// Number of `nodes` in each tile.
std::vector<std::uint32_t> count_by_tile(const Tiles& tiles,
                                         const std::vector<std::uint32_t>& nodes) {
  std::vector<std::uint32_t> counts(tiles.centres.size(), 0);
  for (const std::uint32_t node : nodes) {
    ++counts[tiles.tile_of[node]];
  }
  return counts;
}

/// Node that a link belongs to. On a half-duplex machine both directions belong to the lower node.
std::uint32_t owner(const DrawnLink& link, Duplex duplex) {
  return (duplex == Duplex::half ? std::min(link.from, link.to) : link.from).index();
}

std::vector<std::uint32_t> link_owners(const Drawing& drawing, Duplex duplex) {
  std::vector<std::uint32_t> nodes;
  for (const DrawnLink& link : drawing.links) {
    if (duplex == Duplex::full || link.from < link.to) {
      nodes.push_back(owner(link, duplex));
    }
  }
  return nodes;
}

}  // namespace

BinnedTimes::BinnedTimes(std::size_t rows, std::size_t things, std::size_t bins, TimeWindow window)
    : things_{things}, bins_{bins}, window_{window} {
  const std::int64_t length = (window.end - window.begin).count();
  width_ = std::max<std::int64_t>(1, length / static_cast<std::int64_t>(bins) +
                                         (length % static_cast<std::int64_t>(bins) != 0 ? 1 : 0));
  bins_ = length > 0 ? static_cast<std::size_t>((length - 1) / width_ + 1) : 0;
  sums_.resize(rows * bins_ * things_, 0);
}

void BinnedTimes::add(std::size_t row, std::size_t thing, Ticks begin, Ticks end) {
  std::int64_t at = (std::max(begin, window_.begin) - window_.begin).count();
  const std::int64_t last = (std::min(end, window_.end) - window_.begin).count();
  while (at < last) {
    const std::int64_t bin = at / width_;
    const std::int64_t next = last - bin * width_ <= width_ ? last : (bin + 1) * width_;
    sums_[(row * bins_ + static_cast<std::size_t>(bin)) * things_ + thing] +=
        static_cast<double>(next - at);
    at = next;
  }
}

std::vector<int> BinnedTimes::shares(std::size_t row, std::uint64_t members) const {
  std::vector<int> shares;
  const std::int64_t length = (window_.end - window_.begin).count();
  for (std::size_t bin = 0; bin < bins_; ++bin) {
    // The end of the window may cut the last bin.
    const std::int64_t width = std::min(width_, length - static_cast<std::int64_t>(bin) * width_);
    const double whole = static_cast<double>(width) * static_cast<double>(members);
    for (std::size_t thing = 0; thing < things_; ++thing) {
      const double sum = sums_[(row * bins_ + bin) * things_ + thing];
      shares.push_back(whole > 0 ? static_cast<int>(std::lround(100 * sum / whole)) : 0);
    }
  }
  return shares;
}

Timeline::Timeline(const Scenario& scenario, const Drawing& drawing, TimeWindow window,
                   TimelineLimits limits)
    : drawing_{drawing},
      duplex_{scenario.run_machine->links.duplex},
      tiles_{cut_into_tiles(drawing)},
      window_{window},
      limits_{limits},
      node_of_{nodes_of_processes(scenario)},
      links_in_tile_{count_by_tile(tiles_, link_owners(drawing, duplex_))},
      processes_in_tile_{count_by_tile(tiles_, node_of_)},
      group_size_{(static_cast<std::uint32_t>(node_of_.size()) + most_groups - 1) / most_groups},
      group_times_{(node_of_.size() + group_size_ - 1) / group_size_, counted_activities,
                   group_bins, window},
      tile_times_{tiles_.centres.size(), tile_things, tile_bins, window} {}

void Timeline::on_interval(const Interval& interval) {
  if (!is_seen(interval.begin, interval.end)) {
    return;
  }
  const std::uint32_t process = interval.process.index();
  group_times_.add(process / group_size_, static_cast<std::size_t>(interval.activity),
                   interval.begin, interval.end);
  if (interval.activity == Activity::waiting) {
    tile_times_.add(tiles_.tile_of[node_of_[process]], processes_waiting, interval.begin,
                    interval.end);
  }
  if (++interval_count_ <= limits_.intervals) {
    intervals_.push_back(interval);
  }
}

void Timeline::on_hop(const Hop& hop) {
  const bool is_injection = hop.link.index() >= drawing_.link_at.size();
  if (is_injection || !is_seen(hop.arrival, hop.release)) {
    return;
  }
  const DrawnLink& link = drawing_.links[drawing_.link_at[hop.link.index()]];
  tile_times_.add(tiles_.tile_of[owner(link, duplex_)], links_busy, hop.start, hop.release);
  if (++hop_count_ <= limits_.hops) {
    hops_.push_back(hop);
  }
}

void Timeline::on_delivery(const Delivery& delivery) {
  if (deliveries_.size() < limits_.hops && is_seen(delivery.start, delivery.arrival)) {
    deliveries_.push_back(delivery);
  }
}

std::int64_t Timeline::common_unit() const {
  std::int64_t unit = std::gcd(window_.begin.count(), window_.end.count());
  const auto fit = [&unit](Ticks time) { unit = std::gcd(unit, time.count()); };
  for (const Interval& interval : intervals_) {
    fit(interval.begin);
    fit(interval.end);
  }
  for (const Hop& hop : hops_) {
    fit(hop.arrival);
    fit(hop.start);
    fit(hop.release);
  }
  fit(group_times_.bin_width());
  fit(tile_times_.bin_width());
  return unit;
}

std::string Timeline::json() {
  if (!has_intervals()) {
    intervals_.clear();
  }
  if (!has_hops()) {
    hops_.clear();
  }
  const std::int64_t unit = common_unit();
  const bool has_groups = !has_intervals() || node_of_.size() > most_groups;
  return json_line(
      ordered_json{{"unit_s", to_seconds(Ticks{unit})},
                   {"begin", window_.begin.count() / unit},
                   {"end", window_.end.count() / unit},
                   {"processes", node_of_.size()},
                   {"interval_count", interval_count_},
                   {"hop_count", hop_count_},
                   {"node_of", node_of_},
                   {"intervals", has_intervals() ? intervals_json(unit) : ordered_json()},
                   {"groups", has_groups ? groups_json(unit) : ordered_json()},
                   {"hops", has_hops() ? hops_json(unit) : ordered_json()},
                   {"tiles", has_hops() ? ordered_json() : tiles_json(unit)}});
}

ordered_json Timeline::intervals_json(std::int64_t unit) const {
  std::vector<Interval> sorted = intervals_;
  std::sort(sorted.begin(), sorted.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.process, a.begin) < std::tie(b.process, b.begin);
  });
  std::vector<std::size_t> first;
  std::vector<std::int64_t> gaps;
  Ticks last{0};
  for (const Interval& interval : sorted) {
    for (; first.size() <= interval.process.index(); last = Ticks{0}) {
      first.push_back(gaps.size());
    }
    gaps.push_back((interval.begin - last).count() / unit);
    last = interval.end;
  }
  first.resize(node_of_.size() + 1, gaps.size());
  const auto column = [&](auto value) { return mapped(sorted, value); };
  return {{"first", first},
          {"gap", gaps},
          {"length", column([&](const Interval& i) { return (i.end - i.begin).count() / unit; })},
          {"activity", column(&Interval::activity)},
          {"stage", column([](const Interval& i) {
             return i.stage == no_stage ? -1 : static_cast<std::int64_t>(i.stage);
           })},
          {"peer", column(&Interval::peer)},
          {"message", column([](const Interval& i) {
             return i.message ? 2 * std::int64_t{i.message->send_number} +
                                    (i.message->source == i.process ? 1 : 0)
                              : -1;
           })}};
}

ordered_json Timeline::hops_json(std::int64_t unit) {
  std::sort(hops_.begin(), hops_.end(), [](const Hop& a, const Hop& b) {
    return std::tie(a.arrival, a.source, a.send_number, a.start) <
           std::tie(b.arrival, b.source, b.send_number, b.start);
  });
  std::map<MessageName, std::size_t> messages;
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> numbers;
  std::vector<std::size_t> message_of;
  std::vector<std::int64_t> arrivals;
  Ticks last{0};
  for (const Hop& hop : hops_) {
    const auto [message, is_new] =
        messages.try_emplace({hop.source, hop.send_number}, sources.size());
    if (is_new) {
      sources.push_back(hop.source.index());
      numbers.push_back(hop.send_number);
    }
    message_of.push_back(message->second);
    arrivals.push_back((hop.arrival - last).count() / unit);
    last = hop.arrival;
  }
  // -1 for a message that never arrives.
  std::vector<std::int64_t> destinations(sources.size(), -1);
  std::vector<std::int64_t> bytes(sources.size(), -1);
  for (const Delivery& delivery : deliveries_) {
    const auto message = messages.find({delivery.source, delivery.send_number});
    if (message != messages.end()) {
      destinations[message->second] = delivery.destination.index();
      bytes[message->second] = static_cast<std::int64_t>(delivery.bytes);
    }
  }
  const auto column = [&](auto value) { return mapped(hops_, value); };
  return {
      {"source", sources},
      {"number", numbers},
      {"destination", destinations},
      {"bytes", bytes},
      {"message", message_of},
      {"link", column([&](const Hop& hop) { return drawing_.link_at[hop.link.index()]; })},
      {"arrival", arrivals},
      {"queued", column([&](const Hop& hop) { return (hop.start - hop.arrival).count() / unit; })},
      {"length", column([&](const Hop& hop) { return (hop.release - hop.start).count() / unit; })}};
}

ordered_json Timeline::groups_json(std::int64_t unit) const {
  ordered_json rows = ordered_json::array();
  for (std::uint32_t first = 0; first < node_of_.size(); first += group_size_) {
    const std::uint64_t members = std::min<std::uint64_t>(group_size_, node_of_.size() - first);
    rows.push_back(group_times_.shares(first / group_size_, members));
  }
  return {
      {"size", group_size_}, {"bin", group_times_.bin_width().count() / unit}, {"shares", rows}};
}

ordered_json Timeline::tiles_json(std::int64_t unit) const {
  ordered_json busy = ordered_json::array();
  ordered_json waiting = ordered_json::array();
  for (std::size_t tile = 0; tile < tiles_.centres.size(); ++tile) {
    const std::vector<int> of_links = tile_times_.shares(tile, links_in_tile_[tile]);
    const std::vector<int> of_processes = tile_times_.shares(tile, processes_in_tile_[tile]);
    std::vector<int> busy_links;
    std::vector<int> waiting_processes;
    for (std::size_t i = 0; i < of_links.size(); i += tile_things) {
      busy_links.push_back(of_links[i + links_busy]);
      waiting_processes.push_back(of_processes[i + processes_waiting]);
    }
    busy.push_back(busy_links);
    waiting.push_back(waiting_processes);
  }
  return {{"bin", tile_times_.bin_width().count() / unit}, {"busy", busy}, {"waiting", waiting}};
}

}  // namespace dcube::report
