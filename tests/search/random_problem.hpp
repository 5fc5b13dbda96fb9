#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "support/draw.hpp"

namespace dcube::searching {

/// A small problem of any kind: every network and routing, with failures, nodes left out, slots and
/// pins; traffic of cubes, trees, rings and at random, of weights from 0 to 2^40.
class RandomProblem {
 public:
  explicit RandomProblem(std::uint64_t seed) : draw_{seed} {
    topology_ = random_topology();
    slots_ = draw_.one_in(2) ? 1 : 1 + draw_.below(draw_.one_in(16) ? 8 : 3);
    const std::uint32_t places = topology_->usable_count() * slots_;
    std::uint32_t processes = std::min(places, 1 + draw_.below(draw_.one_in(16) ? 12 : 6));
    if (draw_.one_in(4) && (places <= 8 || draw_.one_in(20))) {
      processes = std::min(places, 64U);  // no place is free
    }
    traffic_ = random_traffic_of(processes);
    const std::vector<Objective> all = objectives(*traffic_);
    problem_.emplace(
        problem(*topology_, *traffic_, all[draw_.below(static_cast<std::uint32_t>(all.size()))]));
    problem_->slots = slots_;
    if (draw_.one_in(3)) {
      problem_->sharing = LinkSharing::undirected;
    }
    for (std::uint64_t& units : problem_->rates.units) {
      units = draw_.one_in(4) ? 0 : 1 + draw_.below(4);  // a link may take no time
    }
    problem_->cc_compute = Ticks{draw_.below(3)};
    problem_->cc_local = Ticks{draw_.below(3)};
    if (draw_.one_in(6)) {
      pin();
    }
  }

  const SearchProblem& operator*() const { return *problem_; }
  const SearchProblem* operator->() const { return &*problem_; }

  /// The least cost that is found with little effort; of few maps, the least there is.
  std::uint64_t reached() {
    std::uint64_t least = ~std::uint64_t{0};
    for (int start = 0; start < 3; ++start) {
      std::vector<NodeId> map = random_map();
      std::uint64_t cost = cost_of(*problem_, map);
      for (std::uint32_t move = 0; move < 8 * map.size(); ++move) {
        std::vector<NodeId> next = map;
        change(next);
        if (const std::uint64_t there = cost_of(*problem_, next); there <= cost) {
          map = next;
          cost = there;
        }
      }
      least = std::min(least, cost);
    }
    return least;
  }

  std::string description() const {
    return fmt::format("{}, {} of {} nodes, {} slots, {} processes, {} flows, {} bytes, {}{}",
                       describe(*topology_), topology_->usable_count(), topology_->node_count(),
                       slots_, traffic_->process_count(), traffic_->flows().size(),
                       traffic_->total_bytes(), to_string(problem_->objective),
                       problem_->has_pins() ? ", pinned" : "");
  }

 private:
  std::string random_settings() {
    const auto side = [this] { return std::to_string(1 + draw_.below(4)); };
    const auto two_sides = [&side] {
      const std::string second = side();
      return side() + "x" + second;
    };
    const std::string tie = draw_.one_in(2) ? ",tie=positive" : "";
    switch (draw_.below(10)) {
      case 0:
        return "kind=line,nodes=" + std::to_string(2 + draw_.below(8));
      case 1:
        return "kind=ring,nodes=" + std::to_string(2 + draw_.below(8)) + tie;
      case 2:
        return "kind=mesh,shape=" + two_sides();
      case 3:
        return "kind=torus,shape=" + two_sides() + tie;
      case 4:
        return "kind=torus,shape=3x2x" + std::to_string(1 + draw_.below(3)) + tie;
      case 5: {
        const std::string wrap = draw_.one_in(2) ? "true,false" : "false,true";
        return "kind=torus,shape=4x" + side() + ",wrap=[" + wrap + "]";
      }
      case 6:
        return std::string{"kind=twisted_torus,shape="} +
               draw_.one_of<const char*, 4>({"2x4", "4x2", "2x4", "2x2x4"});
      case 7:
        return "kind=hypercube,dimensions=" + std::to_string(1 + draw_.below(3));
      case 8:
        return draw_.one_of<const char*, 4>(
            {"kind=fat_tree,down=[2,3],up=[1,1]", "kind=fat_tree,down=[3,2],up=[1,2]",
             "kind=fat_tree,down=[2,2,2],up=[1,2,1]", "kind=dragonfly,p=2,a=2,h=1,g=2"});
      default:
        return random_graph();
    }
  }

  /// A tree with some links more.
  std::string random_graph() {
    const std::uint32_t nodes = 2 + draw_.below(8);
    std::string edges;
    for (std::uint32_t node = 1; node < nodes; ++node) {
      edges += fmt::format("{}[{},{}]", edges.empty() ? "" : ",", draw_.below(node), node);
    }
    for (std::uint32_t a = 0; a + 2 < nodes; ++a) {
      const std::uint32_t b = a + 2 + draw_.below(nodes - a - 2);
      if (draw_.one_in(3) && edges.find(fmt::format("[{},{}]", a, b)) == std::string::npos) {
        edges += fmt::format(",[{},{}]", a, b);
      }
    }
    return "kind=graph,edges=[" + edges + "]";
  }

  std::shared_ptr<const Topology> random_topology() {
    std::shared_ptr<const Topology> topology = make_topology(Params::parse(random_settings()));
    if (draw_.one_in(6)) {
      topology = with_routing(std::move(topology), Params::parse("kind=shortest"));
    } else if (draw_.one_in(6) && topology->node_count() > 1) {
      const Params table = Params::parse("kind=table,routes=[" + table_of(*topology) + "]");
      topology = with_routing(std::move(topology), table);
    }
    const std::uint32_t nodes = topology->node_count();
    if (draw_.one_in(5)) {
      Failures failures;
      for (std::uint32_t count = draw_.below(3); count > 0 && topology->link_slots() > 0; --count) {
        const LinkId link{draw_.below(topology->link_slots())};
        if (topology->link(link)) {
          failures.links.push_back(link);
        }
      }
      if (nodes > 2 && draw_.one_in(2)) {
        failures.nodes.emplace_back(draw_.below(nodes));
      }
      const std::vector<NodeId> cut_off = cut_off_nodes(*with_failures(topology, failures));
      failures.nodes.insert(failures.nodes.end(), cut_off.begin(), cut_off.end());
      topology = with_failures(std::move(topology), std::move(failures));
    }
    if (draw_.one_in(3)) {
      std::vector<bool> may_host(nodes);
      for (std::uint32_t node = 0; node < nodes; ++node) {
        may_host[node] = topology->is_usable(NodeId{node}) && !draw_.one_in(4);
      }
      if (std::ranges::count(may_host, true) > 0) {
        topology = with_hosts_among(topology, may_host);
      }
    }
    return topology;
  }

  /// Routes of one length there and back, as searches need them: shortest ones, or along one tree.
  std::string table_of(const Topology& topology) {
    std::vector<std::vector<NodeId>> neighbours(topology.node_count());
    std::vector<NodeId> known{NodeId{0}};
    std::vector<bool> is_known(topology.node_count());
    is_known[0] = true;
    const bool is_tree = draw_.one_in(2);
    for (std::uint32_t i = 0; i < known.size(); ++i) {
      std::swap(known[i], known[i + draw_.below(static_cast<std::uint32_t>(known.size()) - i)]);
      for (const NodeId next : topology.neighbours(known[i])) {
        if (!is_tree || !is_known[next.index()]) {
          neighbours[known[i].index()].push_back(next);
        }
        if (!is_known[next.index()]) {
          is_known[next.index()] = true;
          known.push_back(next);
          if (is_tree) {
            neighbours[next.index()].push_back(known[i]);
          }
        }
      }
    }
    std::string rows;
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      std::vector<NodeId> reached{NodeId{to}};
      std::vector<bool> is_reached(topology.node_count());
      is_reached[to] = true;
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const NodeId at : neighbours[reached[i].index()]) {
          if (!is_reached[at.index()]) {
            is_reached[at.index()] = true;
            rows += fmt::format("{}[{},{},{}]", rows.empty() ? "" : ",", at.index(), to,
                                reached[i].index());
            reached.push_back(at);
          }
        }
      }
    }
    return rows;
  }

  std::uint64_t random_bytes(std::uint32_t kind) {
    switch (kind) {
      case 0:
        return 1 + draw_.below(9);
      case 1:
        return draw_.below(3);
      case 2: {
        constexpr std::array<std::uint64_t, 5> steps{0, 1, 5, 1'000, 1'000'000'000};
        return draw_.one_of(steps);
      }
      default:
        return std::uint64_t{1 + draw_.below(1U << 20U)} << draw_.below(21);
    }
  }

  std::optional<Traffic> random_traffic_of(std::uint32_t processes) {
    const std::uint32_t kind = draw_.below(draw_.one_in(4) ? 4 : 2);
    std::vector<Flow> flows;
    const auto join = [&](std::uint32_t a, std::uint32_t b, std::uint64_t bytes, bool both_ways) {
      flows.push_back({ProcessId{a}, ProcessId{b}, bytes, 1});
      if (both_ways) {
        flows.push_back({ProcessId{b}, ProcessId{a}, bytes, 1});
      }
    };
    const std::uint32_t shape = draw_.below(6);
    const std::uint32_t mask = draw_.one_in(2) ? 0 : draw_.below(processes);
    if (shape < 2 && std::has_single_bit(processes) && processes > 1) {
      // A cube, perhaps with other numbers of its processes.
      const bool is_uniform = draw_.one_in(2);
      std::uint64_t bytes = random_bytes(kind);
      for (std::uint32_t bit = 1; bit < processes; bit *= 2) {
        bytes = is_uniform ? bytes : random_bytes(kind);
        for (std::uint32_t process = 0; process < processes; ++process) {
          const auto numbered = [&](std::uint32_t i) {
            return mask == 0 ? i : i * (2 * mask + 1) % processes;
          };
          join(numbered(process), numbered(process ^ bit), bytes, false);
        }
      }
    } else if (shape == 2) {
      for (std::uint32_t process = 1; process < processes; ++process) {
        const bool both_ways = draw_.one_in(2);
        const std::uint64_t bytes = random_bytes(kind);
        join(draw_.below(process), process, bytes, both_ways);
      }
    } else if (shape == 3) {
      const std::uint64_t bytes = random_bytes(kind);
      for (std::uint32_t process = 0; process < processes; ++process) {
        join(process, (process + 1) % processes, bytes, true);
      }
    } else {
      const bool is_uniform = draw_.one_in(2);
      std::uint64_t bytes = random_bytes(kind);
      for (std::uint32_t count = draw_.below(3 * processes) + 1; count > 0; --count) {
        const bool both_ways = draw_.one_in(2);
        bytes = is_uniform ? bytes : random_bytes(kind);
        const std::uint32_t to = draw_.below(processes);
        join(draw_.below(processes), to, bytes, both_ways);
      }
    }
    return Traffic{processes, std::move(flows)};
  }

  void pin() {
    const std::vector<NodeId> map = random_map();
    problem_->pins.resize(map.size());
    for (std::size_t process = 0; process < map.size(); ++process) {
      if (draw_.one_in(3)) {
        problem_->pins[process] = map[process];
      }
    }
  }

  std::vector<NodeId> random_map() {
    std::vector<NodeId> map = places();
    for (std::uint32_t i = 0; i < map.size(); ++i) {
      std::swap(map[i], map[draw_.below(i + 1)]);
    }
    map.resize(traffic_->process_count());
    for (std::uint32_t process = 0; process < problem_->pins.size(); ++process) {
      if (problem_->is_pinned(process)) {
        move_to(map, process, *problem_->pins[process]);
      }
    }
    return map;
  }

  std::vector<NodeId> places() const {
    std::vector<NodeId> places;
    for (std::uint32_t node = 0; node < topology_->node_count(); ++node) {
      if (topology_->is_usable(NodeId{node})) {
        places.insert(places.end(), slots_, NodeId{node});
      }
    }
    return places;
  }

  /// Who is there and may go takes the process's node, where there is no room.
  void move_to(std::vector<NodeId>& map, std::uint32_t process, NodeId node) {
    if (map[process] == node) {
      return;
    }
    if (std::ranges::count(map, node) == slots_) {
      for (std::uint32_t other = 0; other < map.size(); ++other) {
        const bool stays = problem_->is_pinned(other) && *problem_->pins[other] == node;
        if (map[other] == node && !stays) {
          map[other] = map[process];
          map[process] = node;
          return;
        }
      }
      return;
    }
    map[process] = node;
  }

  void change(std::vector<NodeId>& map) {
    const std::uint32_t process = draw_.below(static_cast<std::uint32_t>(map.size()));
    const std::vector<NodeId> all = places();
    if (!problem_->is_pinned(process)) {
      move_to(map, process, all[draw_.below(static_cast<std::uint32_t>(all.size()))]);
    }
  }

  testing::Draw draw_;
  std::shared_ptr<const Topology> topology_;
  std::uint32_t slots_ = 1;
  std::optional<Traffic> traffic_;
  std::optional<SearchProblem> problem_;
};

}  // namespace dcube::searching
