#include "dcube/topology/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/csv_columns.hpp"
#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "fabric.hpp"
#include "rerouted.hpp"
#include "shortest_paths.hpp"

namespace dcube {
namespace {

/// Dimension order in another order. A grid's routes between nodes that differ in one coordinate
/// stay on their line, so a route through the dimensions in any order is a sequence of such routes.
class DimensionOrder final : public Rerouted {
 public:
  DimensionOrder(std::shared_ptr<const Topology> base, std::vector<std::uint32_t> order)
      : Rerouted{std::move(base)}, words_{fmt::format("dimension_order {}", joined(order, " "))} {
    for (const std::uint32_t dimension : order) {
      axes_.push_back(
          {shape()[dimension],
           std::accumulate(shape().begin(), shape().begin() + dimension, 1U, std::multiplies{})});
    }
  }

  std::string_view routing() const override { return words_; }

  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    for (const Axis& axis : axes_) {
      const std::uint32_t here = at.index() / axis.stride % axis.side;
      const std::uint32_t there = to.index() / axis.stride % axis.side;
      if (here != there) {
        return base().next_run(at, NodeId{at.index() + (there - here) * axis.stride});  // mod 2^32
      }
    }
    return base().next_run(at, to);
  }

 private:
  struct Axis {
    std::uint32_t side;
    std::uint32_t stride;
  };

  std::string words_;
  std::vector<Axis> axes_;  ///< in the order of the routes
};

class Shortest final : public Rerouted {
 public:
  explicit Shortest(std::shared_ptr<const Topology> network)
      : Rerouted{std::move(network)},
        block_of_{base()},
        paths_{adjacency_of(base()), ShortestPaths::most_table_bytes, base().first_forwarder()},
        // A grid's own routes are as short, as are many others; a table would be slower.
        are_as_short_{base().routing().starts_with("dimension_order") ||
                      (base().routing() != "table" && base().structure().switches > 0 &&
                       base().structure().are_routes_shortest)} {}

  std::string_view routing() const override { return "shortest"; }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    return are_as_short_ ? base().distance(from, to) : paths_.distance(from, to);
  }

  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const Exit exit = paths_.next(at, to);
    return block_of_.run(exit.link, exit.to);
  }

 private:
  BlockOfLink block_of_;
  ShortestPaths paths_;
  bool are_as_short_;
};

/// As few hops as possible, by a next link that each flow draws at every node.
class Ecmp final : public Rerouted {
 public:
  /// Distances of `network` are the shortest.
  Ecmp(std::shared_ptr<const Topology> network, std::uint64_t seed)
      : Rerouted{std::move(network)},
        block_of_{base()},
        fabric_{dynamic_cast<const Fabric*>(&without_hop_weights(base()))},
        paths_{adjacency_of(base()), table_bytes(base()), base().first_forwarder()},
        first_forwarder_{base().first_forwarder()},
        seed_{seed},
        words_{seed == 0 ? "ecmp" : fmt::format("ecmp, seed {}", seed)} {}

  std::string_view routing() const override { return words_; }

  Run next_run(NodeId at, NodeId to) const override {
    return next_run_of(flow_between(at, to), at, to);
  }
  bool are_routes_by_flow() const override { return true; }
  Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const std::uint64_t hash = hash_of(seed_, flow, at.index());
    if (fabric_ != nullptr) {
      if (const std::span<const Exit> row = fabric_->nearer_links(at, to); !row.empty()) {
        return run(row[bounded(hash, row.size())]);
      }
    }
    thread_local std::vector<const Exit*> nearer;
    nearer.clear();
    if (paths_.keeps_all_tables()) {
      paths_.list_nearer(at, to, nearer);
    } else {
      list_nearer(at, to, nearer);
    }
    expects(!nearer.empty(), "one of the neighbours is nearer");
    return run(*nearer[bounded(hash, nearer.size())]);
  }

 private:
  /// Limit for tables. Distances that are computed need none.
  static std::uint64_t table_bytes(const Topology& network) {
    constexpr std::uint64_t few = std::uint64_t{64} << 20U;
    return network.routing() == "shortest" ? ShortestPaths::most_table_bytes : few;
  }
  Run run(const Exit& exit) const { return block_of_.run(exit.link, exit.to); }
  void list_nearer(NodeId at, NodeId to, std::vector<const Exit*>& nearer) const {
    const std::uint32_t distance = base().distance(at, to);
    for (const Exit& exit : paths_.links().of(at)) {
      const bool passes = exit.to == to || exit.to.index() >= first_forwarder_;
      if (passes && base().distance(exit.to, to) + 1 == distance) {
        nearer.push_back(&exit);
      }
    }
  }

  BlockOfLink block_of_;
  const Fabric* fabric_;  ///< null where the network is none, or has other routes
  ShortestPaths paths_;
  std::uint32_t first_forwarder_;
  std::uint64_t seed_;
  std::string words_;
};

/// Next link by node and destination.
class RouteTable {
 public:
  static constexpr std::uint16_t unknown = std::numeric_limits<std::uint16_t>::max();

  /// The network must outlive it. `place`: of the table.
  RouteTable(const Topology& network, std::string place)
      : network_{network},
        place_{std::move(place)},
        links_{adjacency_of(network)},
        nodes_{network.node_count()} {
    const std::uint64_t entries = std::uint64_t{nodes_} * nodes_;
    at_place(place_, [&] {
      expect_fits_in_memory("a table of routes", entries * sizeof(std::uint16_t),
                            "use a smaller machine or another routing");
    });
    exits_.assign(entries, unknown);
  }

  /// `place`: of the row.
  void add(std::uint32_t at, std::uint32_t to, std::uint32_t next, const std::string& place) {
    for (const std::uint32_t node : {at, to, next}) {
      refuse_if(node >= nodes_, place, "{} is not a node of the machine (0 to {})", node,
                nodes_ - 1);
    }
    refuse_if(at == to, place, "routes node {} to itself (no link is next there)", at);
    refuse_if(next != to && next < network_.first_forwarder(), place,
              "node {} is a terminal, which passes no messages on to node {}", next, to);
    const std::span<const Exit> exits = links_.of(NodeId{at});
    const auto exit = std::ranges::lower_bound(exits, NodeId{next}, {}, &Exit::to);
    const auto number = static_cast<std::size_t>(exit - exits.begin());
    refuse_if(exit == exits.end() || exit->to != NodeId{next} || number >= unknown, place,
              "no link leads from node {} to node {}", at, next);
    std::uint16_t& entry = exits_[index(at, to)];
    refuse_if(entry != unknown, place, "node {} to node {} is routed twice", at, to);
    entry = static_cast<std::uint16_t>(number);
  }

  /// Throws InputError unless every pair that links join has a route, and every route ends.
  void check() const {
    std::vector<std::uint32_t> state(nodes_);  // [node]: 0, or the walk that has seen it
    for (std::uint32_t to = 0; to < nodes_; ++to) {
      std::ranges::fill(state, 0U);
      state[to] = nodes_ + 1;
      for (std::uint32_t from = 0; from < nodes_; ++from) {
        if (!network_.reaches(NodeId{from}, NodeId{to})) {
          continue;
        }
        std::uint32_t at = from;
        while (state[at] == 0) {
          state[at] = from + 1;
          refuse_if(exits_[index(at, to)] == unknown, place_,
                    "there is no route from node {} to node {} (every two nodes need one)", at, to);
          at = next(NodeId{at}, NodeId{to}).to.index();
        }
        // A walk that meets its own nodes goes round.
        refuse_if(state[at] == from + 1, place_,
                  "the route from node {} to node {} comes back to node {} and never ends", from,
                  to, at);
      }
    }
  }

  const Exit& next(NodeId at, NodeId to) const {
    return links_.of(at)[exits_[index(at.index(), to.index())]];
  }

 private:
  std::size_t index(std::uint32_t at, std::uint32_t to) const {
    return std::size_t{to} * nodes_ + at;
  }

  const Topology& network_;
  std::string place_;
  Adjacency links_;
  std::uint32_t nodes_;
  std::vector<std::uint16_t> exits_;  ///< by destination, then by node
};

class Table final : public Rerouted {
 public:
  Table(std::shared_ptr<const Topology> network, RouteTable routes)
      : Rerouted{std::move(network)}, block_of_{base()}, routes_{std::move(routes)} {}

  std::string_view routing() const override { return "table"; }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    std::uint32_t hops = 0;
    for (; from != to; from = routes_.next(from, to).to) {
      ++hops;
    }
    return hops;
  }

  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const Exit& exit = routes_.next(at, to);
    return block_of_.run(exit.link, exit.to);
  }

 private:
  BlockOfLink block_of_;
  RouteTable routes_;
};

std::shared_ptr<const Topology> with_shortest(std::shared_ptr<const Topology> base) {
  expect_fits_in_memory("a table of shortest routes", bytes_of_paths(*base));
  return std::make_shared<Shortest>(std::move(base));
}

std::shared_ptr<const Topology> with_dimension_order(std::shared_ptr<const Topology> base,
                                                     const Params& routing) {
  routing.allow_only(std::array<std::string, 2>{"kind", "order"});
  refuse_if(base->routing() != "dimension_order", routing.place_of("kind"),
            "dimension_order does not fit the {} (it has no dimensions); shortest or table would",
            describe(*base));
  if (!routing.has("order")) {
    return base;
  }
  std::vector<std::uint32_t> order = routing.non_negative_ints("order", "a dimension");
  std::vector<std::uint32_t> sorted = order;
  std::ranges::sort(sorted);
  const std::vector<std::uint32_t> all = numbered(base->dimension_count());
  refuse_if(sorted != all, routing.place_of("order"),
            "{} does not name each of the {} dimensions once (they are numbered from 0)",
            routing.find("order")->describe(), all.size());
  if (order == all) {
    return base;
  }
  refuse_if(!has_coordinates(*base), routing.place_of("order"),
            "the {} goes through its dimensions in ascending order alone; leave `order` out",
            describe(*base));
  return std::make_shared<DimensionOrder>(std::move(base), std::move(order));
}

const std::array<std::string, 3> route_columns{"at", "to", "next"};

void read_routes_csv(const std::string& file, RouteTable& routes) {
  const std::string text = file_text(file);
  Scanner scanner{text, file, '#'};
  CsvColumns rows{scanner, route_columns, 3, Header::required};
  while (rows.next_row()) {
    routes.add(rows.node(0), rows.node(1), rows.node(2), scanner.place());
  }
}

void read_routes(const Params& settings, RouteTable& routes) {
  std::size_t row = 0;
  for (const Setting& entry : settings.list("routes", "routes [[at, to, next], ..]", 0)) {
    const std::string place = settings.place_of("routes", row++);
    if (entry.list() == nullptr || entry.list()->size() != route_columns.size()) {
      throw InputError(place, entry.describe() + " is no route (three nodes: at, to, next)");
    }
    const Params nodes = Params::of_entries(*entry.list(), place);
    const auto node = [&](std::string_view key) {
      return static_cast<std::uint32_t>(
          nodes.integer(key, 0, std::numeric_limits<std::uint32_t>::max() - 1, "a node"));
    };
    routes.add(node("0"), node("1"), node("2"), place);
  }
}

std::shared_ptr<const Topology> with_table(std::shared_ptr<const Topology> base,
                                           const Params& routing) {
  routing.allow_only(std::array<std::string, 3>{"kind", "file", "routes"});
  refuse_if(routing.has("file") == routing.has("routes"), routing.place(),
            "a table of routes is either in a `file` or under `routes` (give one of them)");
  const auto table = [&](const std::string& place, const auto& read) {
    RouteTable routes{*base, place};
    read(routes);
    routes.check();
    return std::make_shared<Table>(std::move(base), std::move(routes));
  };
  const Setting* const file = routing.find("file");
  if (file != nullptr && file->group() == nullptr) {
    const std::string name = routing.full_text("file", "is no file");
    return table(name, [&](RouteTable& routes) { read_routes_csv(name, routes); });
  }
  if (file != nullptr) {  // contents of a JSON file
    file->group()->allow_only(std::array<std::string, 1>{"routes"});
  }
  const Params& settings = file != nullptr ? *file->group() : routing;
  return table(settings.place_of("routes"),
               [&](RouteTable& routes) { read_routes(settings, routes); });
}

}  // namespace

const std::vector<std::string>& static_routing_names() {
  static const std::vector<std::string> names{"dimension_order", "shortest", "table", "d_mod_k",
                                              "minimal"};
  return names;
}

void expect_suitable_routing(const Topology& network, const std::string& routing,
                             const std::string& place) {
  static const std::vector<std::string> own{"d_mod_k", "minimal", "valiant_group", "ugal"};
  const std::vector<std::string>& suitable = network.structure().routings;
  const bool is_unsuitable =
      std::ranges::count(suitable.empty() ? own : suitable, routing) == (suitable.empty() ? 1 : 0);
  refuse_if(is_unsuitable, place, "{} does not suit the {}; {} would", routing, describe(network),
            suitable.empty()
                ? fmt::format("{}shortest, ecmp, valiant, minimal_adaptive or table",
                              is_grid(network) ? "dimension_order, random_order, " : "")
            : suitable.size() == 1
                ? fmt::format("its own routes ({}) alone", suitable.front())
                : fmt::format("{} or {}", joined(first_of(suitable, suitable.size() - 1), ", "),
                              suitable.back()));
}

std::shared_ptr<const Topology> with_routing(std::shared_ptr<const Topology> base,
                                             const Params& routing) {
  routing.required("kind");
  std::vector<std::string> kinds = static_routing_names();
  kinds.emplace_back("ecmp");
  const std::string kind = routing.choice("kind", kinds, "");
  expect_suitable_routing(*base, kind, routing.place_of("kind"));
  const std::vector<std::string>& suitable = base->structure().routings;
  const bool is_usual = !suitable.empty() && kind == suitable.front();
  if (kind == "shortest" || is_usual) {
    routing.allow_only(std::array<std::string, 1>{"kind"});
    return kind == base->routing() ? base : with_shortest(std::move(base));
  }
  if (kind == "ecmp") {
    routing.allow_only(std::array<std::string, 3>{"kind", "seed", "by"});
    if (!base->structure().are_routes_shortest) {
      base = with_shortest(std::move(base));
    }
    expect_fits_in_memory("a table of the routes that flows draw", bytes_of_paths(*base));
    return std::make_shared<Ecmp>(std::move(base), routing.seed("seed", 0));
  }
  return kind == "table" ? with_table(std::move(base), routing)
                         : with_dimension_order(std::move(base), routing);
}

}  // namespace dcube
