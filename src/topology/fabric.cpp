#include "fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <limits>

#include "core/mapped.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {

namespace {

constexpr std::uint64_t most_numbers = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

FabricPlan::FabricPlan(std::uint64_t terminals, std::uint64_t switches, std::string place)
    : place_{std::move(place)} {
  refuse_if(terminals > most_numbers || switches > most_numbers - terminals, place_,
            "{} terminals and {} switches are too many for 32-bit node numbers", terminals,
            switches);
  nodes_ = static_cast<std::uint32_t>(terminals + switches);
  structure.switches = static_cast<std::uint32_t>(switches);
  structure.do_terminals_forward = false;
}

void FabricPlan::begin_class(std::string name, std::uint64_t links) {
  links_ += links;
  refuse_if(links > most_numbers || links_ > most_numbers / 2, place_,
            "the links are too many for 32-bit link numbers");
  at_least_at(place_, [&] {
    expect_fits_in_memory("a list of the links",
                          links_ * (2 * sizeof(Exit) + sizeof(std::pair<NodeId, NodeId>)) +
                              std::uint64_t{nodes_} * 24);
  });
  ends_.reserve(links_);
  structure.link_classes.push_back(std::move(name));
  first_of_class_.push_back(next_link());
}

Fabric::Fabric(std::string_view kind, FabricPlan plan)
    : kind_{kind},
      structure_{std::move(plan.structure)},
      details_{std::move(plan.details)},
      node_count_{plan.nodes_},
      terminals_{node_count_ - structure_.switches},
      ends_{std::move(plan.ends_)} {
  const std::vector<std::uint32_t>& first = plan.first_of_class_;
  for (std::uint32_t number = 0; number < first.size(); ++number) {
    const std::uint32_t end = number + 1 < first.size() ? first[number + 1] : link_slots();
    directions_.push_back({LinkId{first[number]}, end - first[number], 0, number});
  }
  paths_.emplace(adjacency_of(*this), ShortestPaths::most_table_bytes, first_forwarder());
  if (!structure_.do_terminals_forward) {
    number_parts();
  }
}

void Fabric::number_parts() {
  boost::disjoint_sets_with_storage<> parts{structure_.switches};
  for (const auto& [one, other] : ends_) {
    if (!is_terminal(one) && !is_terminal(other)) {
      parts.union_set(one.index() - terminals_, other.index() - terminals_);
    }
  }
  for (std::uint32_t of = 0; of < structure_.switches; ++of) {
    part_of_.push_back(static_cast<std::uint32_t>(parts.find_set(of)));
  }
}

std::vector<NodeId> Fabric::neighbours(NodeId node) const {
  expects(contains(node), "node is on this machine");
  std::vector<NodeId> nodes = mapped(links().of(node), &Exit::to);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

bool Fabric::reaches(NodeId from, NodeId to) const {
  check_ends(from, to);
  // Every two terminals reach each other, whatever the switches.
  return from == to || part_of_.empty() || is_terminal(from) || is_terminal(to) ||
         part_of_[from.index() - terminals_] == part_of_[to.index() - terminals_];
}

std::uint32_t Fabric::distance(NodeId from, NodeId to) const {
  check_ends(from, to);
  return paths_->distance(from, to);
}

std::uint64_t Fabric::weight_between(NodeId from, NodeId to,
                                     std::span<const std::uint32_t> weights) const {
  expects(are_routers_alike(), "another kind knows its own ways");
  const std::uint64_t hops = distance(from, to);
  return hops == 0 ? 0 : 2 * std::uint64_t{weights[0]} + (hops - 2) * weights[1];
}

Run Fabric::next_run(NodeId at, NodeId to) const {
  check_ends(at, to);
  if (at == to) {
    return {LinkId{}, 0, 0, at};
  }
  // Ways to a node with one link are those to its neighbour, which share tables.
  const std::span<const Exit> own = links().of(at);
  if (own.size() == 1) {
    return hop(own.front());
  }
  const std::span<const Exit> last = links().of(to);
  if (last.size() != 1) {
    return hop(paths_->next(at, to));
  }
  return last.front().to == at ? hop({to, reverse(last.front().link)})
                               : hop(paths_->next(at, last.front().to));
}

Run Fabric::hop(const Exit& exit) const {
  std::uint32_t block = 0;
  while (exit.link.index() - directions_[block].first.index() >= directions_[block].count) {
    ++block;
  }
  return hop(exit.link, exit.to.index(), block);
}

std::optional<Link> Fabric::link(LinkId link) const {
  expects(link.index() < link_slots(), "link number is below link_slots()");
  const auto& [first, second] = ends_[link.index() / 2];
  std::uint32_t number = 0;
  while (link.index() - directions_[number].first.index() >= directions_[number].count) {
    ++number;
  }
  return link.index() % 2 == 0 ? Link{first, second, number} : Link{second, first, number};
}

std::uint32_t read_count(const Params& params, std::string_view key, std::uint32_t least) {
  return static_cast<std::uint32_t>(
      params.integer(key, least, static_cast<std::int64_t>(most_numbers),
                     fmt::format("a whole number of {} or more", least)));
}

}  // namespace dcube
