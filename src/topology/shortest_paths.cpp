#include "shortest_paths.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::uint8_t no_remainder = 3;  ///< of a node that cannot be reached

}  // namespace

ShortestPaths::ShortestPaths(Adjacency links, std::uint64_t table_bytes,
                             std::uint32_t first_forwarder)
    : links_{std::move(links)}, first_forwarder_{first_forwarder}, table_of_(links_.node_count()) {
  const std::uint64_t nodes = std::max(1U, links_.node_count());
  most_tables_ = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(table_bytes / ((nodes + 3) / 4), 1, nodes));
  all_fit_ = most_tables_ >= nodes;
}

ShortestPaths::~ShortestPaths() = default;

template <class Read>
auto ShortestPaths::with_table(NodeId to, Read read) const {
  std::atomic<Table*>& place = table_of_[to.index()];
  if (all_fit_) {
    // A table stays once it is there.
    if (const Table* const table = place.load(std::memory_order_acquire)) {
      return read(*table);
    }
  }
  const std::lock_guard lock{mutex_};
  Table* table = place.load(std::memory_order_relaxed);
  if (table == nullptr) {
    table = keep(make_table(to));
    place.store(table, std::memory_order_release);
  }
  table->was_used.store(true, std::memory_order_relaxed);
  return read(*table);
}

std::unique_ptr<ShortestPaths::Table> ShortestPaths::make_table(NodeId to) const {
  const std::size_t nodes = links_.node_count();
  std::vector<std::uint8_t> remainders((nodes + 3) / 4 * 4, no_remainder);
  remainders[to.index()] = 0;
  std::vector<NodeId> reached{to};
  reached.reserve(nodes);
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const NodeId at = reached[next];
    if (next > 0 && at.index() < first_forwarder_) {
      continue;
    }
    const auto farther = static_cast<std::uint8_t>((remainders[at.index()] + 1) % 3);
    for (const Exit& exit : links_.of(at)) {
      std::uint8_t& remainder = remainders[exit.to.index()];
      if (remainder == no_remainder) {
        remainder = farther;
        reached.push_back(exit.to);
      }
    }
  }
  auto table = std::make_unique<Table>();
  table->destination = to.index();
  table->remainders.reserve(remainders.size() / 4);
  for (std::size_t node = 0; node < remainders.size(); node += 4) {
    table->remainders.push_back(
        static_cast<std::uint8_t>(remainders[node] | remainders[node + 1] << 2U |
                                  remainders[node + 2] << 4U | remainders[node + 3] << 6U));
  }
  return table;
}

ShortestPaths::Table* ShortestPaths::keep(std::unique_ptr<Table> table) const {
  if (tables_.size() < most_tables_) {
    tables_.push_back(std::move(table));
    return tables_.back().get();
  }
  while (tables_[hand_]->was_used.exchange(false, std::memory_order_relaxed)) {
    hand_ = (hand_ + 1) % tables_.size();
  }
  std::unique_ptr<Table>& victim = tables_[hand_];
  hand_ = (hand_ + 1) % tables_.size();
  table_of_[victim->destination].store(nullptr, std::memory_order_relaxed);
  victim = std::move(table);
  return victim.get();
}

const Exit& ShortestPaths::nearer(const Table& table, NodeId at) const {
  const std::uint32_t here = table[at];
  expects(here != no_remainder, "there is a way");
  const std::uint32_t wanted = (here + 2) % 3;
  const std::span<const Exit> exits = links_.of(at);
  const bool is_any_as_good = at.index() >= first_forwarder_ || exits.size() == 1;
  const Exit* best = nullptr;
  std::uint32_t least = unreached;
  for (const Exit& exit : exits) {
    if (table[exit.to] != wanted || !admits(table, exit.to)) {
      continue;
    }
    if (is_any_as_good) {
      return exit;
    }
    // Neighbours of a node that is not passed may be farther by 3, 6, ..
    if (const std::uint32_t rest = hops(table, exit.to); rest < least) {
      least = rest;
      best = &exit;
    }
  }
  expects(best != nullptr, "one of the neighbours is nearer");
  return *best;
}

std::uint32_t ShortestPaths::hops(const Table& table, NodeId from) const {
  std::uint32_t hops = 0;
  for (; from.index() != table.destination; from = nearer(table, from).to) {
    ++hops;
  }
  return hops;
}

std::uint32_t ShortestPaths::distance(NodeId from, NodeId to) const {
  if (from == to) {
    return 0;
  }
  {
    // Callers with many questions ask about one node after another. Distances are symmetric.
    const std::lock_guard lock{distances_mutex_};
    const bool is_asked_again = last_from_ == from;
    last_from_ = from;
    if (is_asked_again && (!distances_ || distances_->from != from)) {
      distances_ = Distances{from, distances_to(links_, from, first_forwarder_)};
    }
    if (distances_ && distances_->from == from) {
      return distances_->to[to.index()];
    }
  }
  return with_table(to, [&](const Table& table) {
    return table[from] == no_remainder ? unreached : hops(table, from);
  });
}

Exit ShortestPaths::next(NodeId at, NodeId to) const {
  expects(at != to, "the path is not walked yet");
  return with_table(to, [&](const Table& table) { return nearer(table, at); });
}

void ShortestPaths::list_nearer(NodeId at, NodeId to, std::vector<const Exit*>& found) const {
  expects(at != to, "the path is not walked yet");
  with_table(to, [&](const Table& table) {
    const std::uint32_t wanted = (table[at] + 2) % 3;
    const std::span<const Exit> exits = links_.of(at);
    // Neighbours of a node that is not passed may be farther by 3, 6, ..
    const bool may_be_farther = at.index() < first_forwarder_ && exits.size() > 1;
    const std::uint32_t rest = may_be_farther ? hops(table, nearer(table, at).to) : 0;
    for (const Exit& exit : exits) {
      if (table[exit.to] == wanted && admits(table, exit.to) &&
          (!may_be_farther || hops(table, exit.to) == rest)) {
        found.push_back(&exit);
      }
    }
  });
}

}  // namespace dcube
