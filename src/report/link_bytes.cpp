#include "link_bytes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/link_rates.hpp"
#include "machine_view.hpp"

namespace dcube::report {

using nlohmann::ordered_json;

namespace {

// Limits of lists, as in `--why`.
constexpr std::size_t most_busiest = 5;
constexpr std::size_t most_heaviest = 3;

double seconds(const ExactTime& picoseconds) {
  return static_cast<double>(picoseconds.numerator()) /
         static_cast<double>(picoseconds.denominator()) * 1e-12;
}

}  // namespace

struct LinkBytes::Busiest {
  struct Heaviest {
    std::uint64_t bytes = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  std::uint32_t link = 0;
  std::vector<Heaviest> pairs{};
};

std::size_t LinkBytes::CrossingHash::operator()(const Crossing& crossing) const {
  // SplitMix64's finalizer, so that neighbours do not share buckets.
  std::uint64_t bits = (std::uint64_t{crossing.from} << 32U | crossing.to) +
                       0x9e3779b97f4a7c15U * (std::uint64_t{crossing.link} + 1);
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<std::size_t>(bits ^ (bits >> 31U));
}

LinkBytes::LinkBytes(const Scenario& scenario, const Drawing& drawing, std::size_t most_pairs)
    : scenario_{scenario},
      drawing_{drawing},
      per_byte_s_{mapped(time_per_byte_of_links(*scenario.run_machine), seconds)},
      bytes_(per_byte_s_.size()),
      most_pairs_{most_pairs} {}

void LinkBytes::on_hop(const Hop& hop) {
  const bool is_injection = hop.link.index() >= bytes_.size();
  if (is_injection) {
    return;
  }
  bytes_[hop.link.index()] += hop.bytes;
  if (knows_pairs_) {
    pairs_[{hop.link.index(), hop.source.index(), hop.destination.index()}] += hop.bytes;
    if (pairs_.size() > most_pairs_) {
      knows_pairs_ = false;
      pairs_.clear();
    }
  }
}

std::vector<LinkBytes::Busiest> LinkBytes::busiest() const {
  auto busiest =
      mapped(kept(numbered(bytes_.size()), [&](std::uint32_t link) { return bytes_[link] > 0; }),
             [](std::uint32_t link) { return Busiest{link}; });
  keep_greatest(busiest, most_busiest, [&](const Busiest& one) {
    return std::pair{static_cast<double>(bytes_[one.link]) * per_byte_s_[one.link],
                     bytes_[one.link]};
  });
  for (const auto& [crossing, bytes] : pairs_) {
    const auto one = std::ranges::find(busiest, crossing.link, &Busiest::link);
    if (one != busiest.end()) {
      one->pairs.push_back({bytes, crossing.from, crossing.to});
    }
  }
  for (Busiest& one : busiest) {
    std::ranges::sort(one.pairs, [](const auto& a, const auto& b) {
      return std::tuple{b.bytes, a.from, a.to} < std::tuple{a.bytes, b.from, b.to};
    });
  }
  return busiest;
}

ordered_json LinkBytes::busiest_json(double mean_bytes) const {
  const bool has_times = std::ranges::any_of(per_byte_s_, [](double one) { return one > 0; });
  return mapped(busiest(), [&](const Busiest& one) {
    const auto carried = static_cast<double>(bytes_[one.link]);
    ordered_json json{{"at", drawing_.link_at[one.link]},
                      {"link", link_name(*scenario_.run_machine, LinkId{one.link})},
                      {"bytes", bytes_[one.link]},
                      {"of_mean", carried / mean_bytes}};
    if (has_times) {
      json["time_s"] = carried * per_byte_s_[one.link];
    }
    if (knows_pairs_) {
      json["flows"] = one.pairs.size();
      json["heaviest"] =
          mapped(first_of(one.pairs, most_heaviest), [](const Busiest::Heaviest& pair) {
            return ordered_json{{"from", pair.from}, {"to", pair.to}, {"bytes", pair.bytes}};
          });
    }
    return json;
  });
}

std::string LinkBytes::json() const {
  const Topology& topology = *scenario_.run_machine->topology;
  const bool is_half = scenario_.run_machine->links.duplex == Duplex::half;
  // [link of the drawing]; a direction that is counted with the other stays below 0.
  std::vector<double> bytes(drawing_.links.size(), -1);
  std::vector<double> times(drawing_.links.size(), -1);
  std::vector<double> rates;
  std::vector<double> bytes_of(bytes_.size(), -1);  // [link]
  std::vector<double> time_of(bytes_.size(), -1);
  double all = 0;
  for (std::uint32_t link = 0; link < bytes_.size(); ++link) {
    if (topology.link(LinkId{link}) &&
        (!is_half || LinkId{link} < topology.reverse(LinkId{link}))) {
      const auto carried = static_cast<double>(bytes_[link]);
      bytes_of[link] = bytes[drawing_.link_at[link]] = carried;
      time_of[link] = times[drawing_.link_at[link]] = carried * per_byte_s_[link];
      rates.push_back(per_byte_s_[link]);
      all += carried;
    }
  }
  if (all == 0) {
    return {};
  }
  const auto [least, most] = std::ranges::minmax(rates);
  ordered_json by_class;
  if (!scenario_.machine->topology->structure().link_classes.empty()) {
    const auto of = [&](const std::vector<double>& values) {
      return loads_by_class(*scenario_.machine->topology, topology,
                            scenario_.run_machine->links.duplex, values);
    };
    by_class = {{"bytes", of(bytes_of)}, {"time_s", least < most ? of(time_of) : ordered_json()}};
  }
  return json_line(ordered_json{{"bytes", bytes},
                                {"time_s", least < most ? ordered_json(times) : ordered_json()},
                                {"busiest", busiest_json(all / static_cast<double>(rates.size()))},
                                {"by_class", by_class}});
}

}  // namespace dcube::report
