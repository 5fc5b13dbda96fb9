#include "map_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/decimal.hpp"
#include "core/refuse.hpp"

namespace dcube {

MapBuilder::MapBuilder(const MapImport& import)
    : import_{import},
      node_count_{import.topology.node_count()},
      slot_count_{std::uint64_t{node_count_} * import.slots},
      process_in_(slot_count_),
      slots_{node_count_} {}

std::string MapBuilder::room() const {
  return import_.slots == 1 ? fmt::format("{} nodes (a node hosts at most one)", node_count_)
                            : fmt::format("{} slots on {} nodes", slot_count_, node_count_);
}

std::uint32_t MapBuilder::process(const Scanner& at, std::string_view word) const {
  const std::uint64_t last = slot_count_ - 1;
  const std::string what =
      import_.slots == 1
          ? fmt::format("a process (0 to {}: a node hosts at most one)", last)
          : fmt::format("a process (0 to {}: a node hosts at most {})", last, import_.slots);
  return static_cast<std::uint32_t>(at.whole(word, 0, last, what));
}

NodeId MapBuilder::node(const Scanner& at, std::string_view word) const {
  const std::uint32_t last = node_count_ - 1;
  return NodeId{
      static_cast<std::uint32_t>(at.whole(word, 0, last, fmt::format("a node (0 to {})", last)))};
}

NodeId MapBuilder::host(const Scanner& at, std::string_view name) const {
  const std::optional<NodeId> node = import_.hosts.find(name);
  at.reject_if(!node || node->index() >= node_count_,
               "{} is none of the {} hosts ({}); `.hosts` gives their names", shown(name),
               import_.topology.terminal_count(), import_.hosts.source());
  return *node;
}

void MapBuilder::place(const Scanner& at, std::uint32_t process, NodeId node) {
  const std::uint32_t slot = slots_.used(node);
  at.reject_if(slot == import_.slots && slot > 1,
               "node {} already hosts {} processes (it has as many slots)", node.index(), slot);
  place(at, process, node, std::min(slot, import_.slots - 1));
  slots_.next(node);
}

void MapBuilder::place(const Scanner& at, std::uint32_t process, NodeId node, std::uint32_t slot) {
  if (process >= slot_count_) {
    at.reject(fmt::format("process {} is one too many for {}", process, room()));
  }
  if (process >= map_.size()) {
    map_.resize(process + std::size_t{1});
  }
  if (map_[process]) {
    at.reject(fmt::format("process {} has node {} already", process, map_[process]->index()));
  }
  std::optional<std::uint32_t>& occupant =
      process_in_[std::uint64_t{node.index()} * import_.slots + slot];
  if (occupant) {
    at.reject(import_.slots == 1
                  ? fmt::format("node {} already hosts process {} (a node hosts at most one)",
                                node.index(), *occupant)
                  : fmt::format("slot {} of node {} already hosts process {}", slot, node.index(),
                                *occupant));
  }
  map_[process] = node;
  occupant = process;
}

std::vector<NodeId> MapBuilder::map() const {
  refuse_if(map_.empty(), import_.file, "places no process (process 0 at least is expected)");
  std::vector<NodeId> map;
  map.reserve(map_.size());
  for (const std::optional<NodeId>& node : map_) {
    refuse_if(!node, import_.file, "process {} has no node (there are processes up to {})",
              map.size(), map_.size() - 1);
    map.push_back(*node);
  }
  return map;
}

}  // namespace dcube
