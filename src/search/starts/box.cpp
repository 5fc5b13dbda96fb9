#include <algorithm>
#include <utility>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "dcube/core/params.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"
#include "starts.hpp"

namespace dcube {
namespace {

/// A stretch of the coordinates of a dimension.
struct Stretch {
  std::uint32_t side = 1;    ///< of the machine
  std::uint32_t stride = 1;  ///< between its neighbours' numbers
  bool has_cycle = false;    ///< whether the machine's ends are joined
  std::uint32_t first = 0;
  std::uint32_t length = 0;

  bool is_whole() const { return length == side; }
};

/// The shortest stretch that holds all coordinates that are used.
void fit(Stretch& stretch, const std::vector<bool>& is_used) {
  const auto used = static_cast<std::uint32_t>(is_used.size());
  std::uint32_t longest_gap = 0;
  std::uint32_t gap = 0;
  // Where there is a cycle, the gap over its ends counts, too.
  const std::uint32_t places = stretch.has_cycle ? 2 * used : used;
  std::uint32_t begin = 0;
  for (std::uint32_t place = 0; place < places; ++place) {
    gap = is_used[place % used] ? 0 : gap + 1;
    if (gap > longest_gap && gap < used) {
      longest_gap = gap;
      begin = (place + 1) % used;
    }
  }
  if (stretch.has_cycle) {
    stretch.first = longest_gap == 0 ? 0 : begin;
    stretch.length = used - longest_gap;
    return;
  }
  const auto first = std::find(is_used.begin(), is_used.end(), true);
  const auto last = std::find(is_used.rbegin(), is_used.rend(), true).base();
  stretch.first = static_cast<std::uint32_t>(first - is_used.begin());
  stretch.length = static_cast<std::uint32_t>(last - first);
}

std::vector<Stretch> stretches_of(const Topology& topology) {
  std::vector<Stretch> stretches;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    Stretch stretch{side, stride};
    stretch.has_cycle = is_cycle(topology, stretches.size());
    std::vector<bool> is_used(side);
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      if (topology.is_usable(NodeId{node})) {
        is_used[node / stride % side] = true;
      }
    }
    fit(stretch, is_used);
    stretches.push_back(stretch);
    stride *= side;
  }
  return stretches;
}

/// A mesh, or a torus where a whole cycle is in the box.
std::shared_ptr<const Topology> network_of(const std::vector<Stretch>& stretches) {
  Setting::List shape;
  Setting::List wrap;
  bool has_cycle = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.length > 1) {
      const bool is_cycle = stretch.has_cycle && stretch.is_whole();
      shape.push_back(number_setting(stretch.length));
      wrap.emplace_back(is_cycle);
      has_cycle = has_cycle || is_cycle;
    }
  }
  Params settings = group_of({{"kind", has_cycle ? "torus" : "mesh"}, {"shape", std::move(shape)}});
  if (has_cycle) {
    settings.set("wrap", std::move(wrap));
  }
  return make_topology(settings);
}

Box box_of(const std::vector<Stretch>& stretches) {
  Box box{network_of(stretches), {}, false};
  for (std::uint32_t node = 0; node < box.topology->node_count(); ++node) {
    std::uint32_t rest = node;
    std::uint32_t there = 0;
    for (const Stretch& stretch : stretches) {
      there += (stretch.first + rest % stretch.length) % stretch.side * stretch.stride;
      rest /= stretch.length;
    }
    box.nodes.emplace_back(there);
  }
  return box;
}

}  // namespace

Box box_at(const Topology& topology, std::span<const std::uint32_t> sides, std::uint32_t number) {
  std::vector<Stretch> stretches;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : topology.shape()) {
    const std::size_t d = stretches.size();
    const std::uint32_t places = side / sides[d];
    stretches.push_back(
        {side, stride, is_cycle(topology, d), number % places * sides[d], sides[d]});
    number /= places;
    stride *= side;
  }
  return box_of(stretches);
}

std::optional<Box> box_of_usable_nodes(const Topology& topology) {
  if (!has_coordinates(topology) || topology.usable_count() == topology.node_count() ||
      topology.usable_count() < 2) {
    return std::nullopt;
  }
  const std::vector<Stretch> stretches = stretches_of(topology);
  if (std::ranges::all_of(stretches, &Stretch::is_whole)) {
    return std::nullopt;
  }
  Box box = box_of(stretches);
  const std::vector<bool> may_host =
      mapped(box.nodes, [&](NodeId node) { return topology.is_usable(node); });
  const Failures failures = failures_of(topology);
  box.keeps_routes =
      topology.routing().starts_with("dimension_order") && failures.nodes.empty() &&
      failures.links.empty() && std::ranges::all_of(stretches, [](const Stretch& stretch) {
        return !stretch.has_cycle || stretch.is_whole() || 2 * (stretch.length - 1) < stretch.side;
      });
  if (std::ranges::count(may_host, false) > 0) {
    box.topology = with_hosts_among(box.topology, may_host);
  }
  return box;
}

}  // namespace dcube
