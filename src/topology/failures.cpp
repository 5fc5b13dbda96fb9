#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/topology/platform.hpp"
#include "dcube/topology/routing.hpp"
#include "rerouted.hpp"
#include "shortest_paths.hpp"

namespace dcube {
namespace {

class WithFailures final : public Rerouted {
 public:
  WithFailures(std::shared_ptr<const Topology> network, const Failures& failures)
      : Rerouted{std::move(network)},
        block_of_{base()},
        are_drawn_shortest_{base().are_routes_by_flow() && platform_costs(base()) == nullptr},
        first_forwarder_{base().first_forwarder()},
        is_dead_(base().node_count()),
        is_kept_free_(base().node_count()),
        is_cut_(base().link_slots()) {
    for (const NodeId node : failures.nodes) {
      expects(contains(node), "a node that has failed is on this machine");
      is_dead_[node.index()] = true;
    }
    for (const NodeId node : failures.spares) {
      expects(contains(node), "a spare is on this machine");
      is_kept_free_[node.index()] = true;
    }
    for (const LinkId link : failures.links) {
      expects(base().link(link).has_value(), "a link that has failed is one of this machine");
      const LinkId back = base().reverse(link);
      is_cut_[link.index()] = true;
      is_cut_[back.index()] = true;
      cut_.push_back(std::min(link, back));
    }
    std::ranges::sort(cut_);
    cut_.erase(std::unique(cut_.begin(), cut_.end()), cut_.end());
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      usable_count_ += is_usable(NodeId{node}) ? 1 : 0;
    }
    for (std::uint32_t link = 0; link < link_slots(); ++link) {
      if (const std::optional<Link> ends = base().link(LinkId{link})) {
        is_cut_[link] = is_cut_[link] || is_dead_[ends->from.index()] || is_dead_[ends->to.index()];
      }
    }
    paths_ = std::make_unique<ShortestPaths>(
        Adjacency{base(), [this](LinkId link, const Link&) { return !is_cut_[link.index()]; }},
        ShortestPaths::most_table_bytes, first_forwarder_);
    number_parts();
    structure_ = base().structure();
    structure_.are_nodes_alike &= link_count() == base().link_count();
  }

  const Structure& structure() const override { return structure_; }
  std::uint64_t link_count() const override { return paths_->links().link_count() / 2; }

  std::vector<NodeId> neighbours(NodeId node) const override {
    expects(contains(node), "node is on this machine");
    std::vector<NodeId> nodes = mapped(paths_->links().of(node), &Exit::to);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());  // parallel links
    return nodes;
  }

  std::optional<Link> link(LinkId link) const override {
    const std::optional<Link> ends = base().link(link);
    return is_cut_[link.index()] ? std::nullopt : ends;
  }

  bool is_alive(NodeId node) const override {
    return base().is_alive(node) && !is_dead_[node.index()];
  }
  bool is_usable(NodeId node) const override {
    return base().is_usable(node) && !is_dead_[node.index()] && !is_kept_free_[node.index()];
  }
  std::uint32_t usable_count() const override { return usable_count_; }
  bool reaches(NodeId from, NodeId to) const override {
    if (!is_alive(from) || !is_alive(to)) {
      return false;
    }
    if (from == to || (forwards(from) && forwards(to))) {
      return part_of_[from.index()] == part_of_[to.index()];
    }
    return meet(parts_of(from), parts_of(to));
  }

  const Topology& whole() const { return base(); }

  Failures failures() const {
    Failures failures;
    for (std::uint32_t number = 0; number < node_count(); ++number) {
      if (is_dead_[number]) {
        failures.nodes.emplace_back(number);
      } else if (is_kept_free_[number]) {
        failures.spares.emplace_back(number);
      }
    }
    for (const LinkId link : cut_) {
      const std::optional<Link> ends = base().link(link);
      if (!is_dead_[ends->from.index()] && !is_dead_[ends->to.index()]) {
        failures.links.push_back(link);
      }
    }
    return failures;
  }

  std::vector<NodeId> cut_off() const {
    if (first_forwarder_ > 0) {
      return cut_off_terminals();
    }
    std::vector<std::uint32_t> size(node_count());
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      size[part_of_[node]] += is_alive(NodeId{node}) ? 1 : 0;
    }
    const auto largest = static_cast<std::uint32_t>(std::ranges::max_element(size) - size.begin());
    std::vector<NodeId> nodes;
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      if (is_alive(NodeId{node}) && part_of_[node] != largest) {
        nodes.emplace_back(node);
      }
    }
    return nodes;
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_way(from, to);
    if (are_drawn_shortest_) {
      return paths_->distance(from, to);
    }
    const std::uint64_t flow = flow_between(from, to);
    std::uint32_t hops = 0;
    for (; !is_whole(flow, from, to); from = paths_->next(from, to).to) {
      ++hops;
    }
    return hops + base().distance(from, to);
  }

  Run next_run(NodeId at, NodeId to) const override {
    return next_run_of(flow_between(at, to), at, to);
  }
  bool are_routes_by_flow() const override { return base().are_routes_by_flow(); }
  Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const override {
    check_way(at, to);
    if (is_whole(flow, at, to)) {
      return base().next_run_of(flow, at, to);
    }
    const Exit exit = paths_->next(at, to);
    return block_of_.run(exit.link, exit.to);
  }

 private:
  void check_way(NodeId from, NodeId to) const {
    check_ends(from, to);
    expects(reaches(from, to), "failures leave a way between the nodes");
  }

  /// Whether the whole route of base() works.
  bool is_whole(std::uint64_t flow, NodeId from, NodeId to) const {
    if (!base().reaches(from, to)) {
      return false;
    }
    const auto is_cut = is_cut_.begin();
    while (from != to) {
      const Run run = base().next_run_of(flow, from, to);
      std::uint32_t link = run.first.index();
      for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
        if (is_cut[link]) {
          return false;
        }
        link += static_cast<std::uint32_t>(run.stride);  // modulo 2^32
      }
      from = run.end;
    }
    return true;
  }

  bool forwards(NodeId node) const { return node.index() >= first_forwarder_; }
  /// Parts that a node is in: those of its switches for a terminal that passes nothing on.
  std::vector<std::uint32_t> parts_of(NodeId node) const {
    std::vector<std::uint32_t> parts;
    if (forwards(node)) {
      parts.push_back(part_of_[node.index()]);
      return parts;
    }
    for (const Exit& exit : paths_->links().of(node)) {
      parts.push_back(part_of_[exit.to.index()]);
    }
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
  }
  static bool meet(const std::vector<std::uint32_t>& some,
                   const std::vector<std::uint32_t>& others) {
    return std::ranges::any_of(
        some, [&](std::uint32_t part) { return std::ranges::count(others, part) > 0; });
  }

  /// Terminals that do not reach most others, or else some others.
  std::vector<NodeId> cut_off_terminals() const {
    std::map<std::vector<std::uint32_t>, std::vector<NodeId>> terminals_of;
    for (std::uint32_t node = 0; node < first_forwarder_; ++node) {
      if (is_alive(NodeId{node})) {
        terminals_of[parts_of(NodeId{node})].emplace_back(node);
      }
    }
    std::vector<NodeId> nodes;
    const auto size = [](const auto& entry) { return entry.second.size(); };
    // Terminals in no part reach nobody.
    const auto most = std::ranges::max_element(
        terminals_of, {}, [&](const auto& entry) { return entry.first.empty() ? 0 : size(entry); });
    if (most != terminals_of.end() && most->first.empty()) {
      nodes.assign(most->second.begin() + 1, most->second.end());
      return nodes;
    }
    const auto add_unless_meeting = [&](const auto& entry, const auto& other) {
      if (&entry != &other && !meet(entry.first, other.first)) {
        nodes.insert(nodes.end(), entry.second.begin(), entry.second.end());
      }
    };
    for (const auto& entry : terminals_of) {
      add_unless_meeting(entry, *most);
    }
    for (const auto& entry : terminals_of) {
      for (const auto& other : terminals_of) {
        if (nodes.empty() && size(entry) <= size(other)) {
          add_unless_meeting(entry, other);
        }
      }
    }
    std::ranges::sort(nodes);
    return nodes;
  }

  void number_parts() {
    boost::disjoint_sets_with_storage<> parts{node_count()};
    const std::vector<std::uint32_t> nodes = numbered(node_count());
    for (const std::uint32_t node : nodes) {
      for (const Exit& exit : paths_->links().of(NodeId{node})) {
        if (forwards(NodeId{node}) && forwards(exit.to)) {
          parts.union_set(node, exit.to.index());
        }
      }
    }
    parts.compress_sets(nodes.begin(), nodes.end());
    parts.normalize_sets(nodes.begin(), nodes.end());
    part_of_ = mapped(nodes, [&](std::uint32_t node) {
      return static_cast<std::uint32_t>(parts.find_set(node));
    });
  }

  BlockOfLink block_of_;
  bool are_drawn_shortest_;  ///< flows draw their routes, which are shortest
  std::uint32_t first_forwarder_;
  Structure structure_;
  std::vector<bool> is_dead_;
  std::vector<bool> is_kept_free_;
  std::vector<bool> is_cut_;  ///< by link number
  std::vector<LinkId> cut_;   ///< links given as failed, in one direction
  std::uint32_t usable_count_ = 0;
  std::unique_ptr<ShortestPaths> paths_;  ///< over working links
  std::vector<std::uint32_t> part_of_;    ///< [node]: the lowest node that it reaches
};

}  // namespace

std::shared_ptr<const Topology> with_failures(std::shared_ptr<const Topology> base,
                                              const Failures& failures) {
  if (failures.empty()) {
    return base;
  }
  if (platform_costs(*base) != nullptr) {
    const bool may_pass = base->structure().do_terminals_forward;
    refuse_if(
        !failures.links.empty() ||
            std::ranges::any_of(failures.nodes,
                                [&](NodeId node) { return may_pass || !base->is_terminal(node); }),
        "",
        "the routes of a platform of SimGrid lead round nothing, so neither links nor nodes that "
        "messages pass may fail (change the platform's file; hosts at the ends of routes may)");
  }
  expect_fits_in_memory("a machine with failures", 2 * bytes_of_paths(*base));
  return std::make_shared<WithFailures>(std::move(base), failures);
}

Failures failures_of(const Topology& topology) {
  const auto* const left = dynamic_cast<const WithFailures*>(&topology);
  return left != nullptr ? left->failures() : Failures{};
}

const Topology& without_failures(const Topology& topology) {
  const auto* const left = dynamic_cast<const WithFailures*>(&topology);
  return left != nullptr ? left->whole() : topology;
}

std::shared_ptr<const Topology> with_hosts_among(const std::shared_ptr<const Topology>& topology,
                                                 const std::vector<bool>& may_host) {
  expects(may_host.size() == topology->node_count(), "every node has an entry");
  Failures failures = failures_of(*topology);
  for (std::uint32_t node = 0; node < may_host.size(); ++node) {
    if (!may_host[node]) {
      failures.spares.emplace_back(node);
    }
  }
  // Avoids a chain of topologies with failures.
  return with_failures({topology, &without_failures(*topology)}, failures);
}

std::vector<NodeId> cut_off_nodes(const Topology& topology) {
  const auto* const parted = dynamic_cast<const WithFailures*>(&topology);
  return parted != nullptr ? parted->cut_off() : std::vector<NodeId>{};
}

}  // namespace dcube
