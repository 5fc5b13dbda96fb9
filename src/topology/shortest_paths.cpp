#include "shortest_paths.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::uint16_t narrow_unreached = std::numeric_limits<std::uint16_t>::max();

}  // namespace

std::uint32_t ShortestPaths::Table::operator[](NodeId node) const {
  if (narrow.empty()) {
    return wide[node.index()];
  }
  const std::uint16_t distance = narrow[node.index()];
  return distance == narrow_unreached ? unreached : distance;
}

ShortestPaths::ShortestPaths(Adjacency links, std::uint64_t table_bytes)
    : links_{std::move(links)}, table_of_(links_.node_count()) {
  const std::uint64_t nodes = links_.node_count();
  const std::uint64_t bytes =
      nodes * (nodes < narrow_unreached ? sizeof(std::uint16_t) : sizeof(std::uint32_t));
  most_tables_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      table_bytes / std::max<std::uint64_t>(bytes, 1), 1, std::max<std::uint64_t>(nodes, 1)));
  all_fit_ = most_tables_ >= nodes;
}

ShortestPaths::~ShortestPaths() = default;

template <class Read>
auto ShortestPaths::with_table(NodeId to, Read read) const {
  std::atomic<Table*>& place = table_of_[to.index()];
  if (all_fit_) {
    // A table that is there stays there.
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
  auto table = std::make_unique<Table>();
  table->destination = to.index();
  std::vector<std::uint32_t> distances = distances_to(links_, to);
  if (links_.node_count() < narrow_unreached) {
    table->narrow.reserve(distances.size());
    for (const std::uint32_t distance : distances) {
      table->narrow.push_back(
          static_cast<std::uint16_t>(std::min<std::uint32_t>(distance, narrow_unreached)));
    }
  } else {
    table->wide = std::move(distances);
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

std::uint32_t ShortestPaths::distance(NodeId from, NodeId to) const {
  return with_table(to, [&](const Table& table) { return table[from]; });
}

Exit ShortestPaths::next(NodeId at, NodeId to) const {
  return with_table(to, [&](const Table& table) {
    const std::uint32_t here = table[at];
    expects(here != unreached && here > 0, "there is a way, and it is not walked yet");
    for (const Exit& exit : links_.of(at)) {
      if (table[exit.to] == here - 1) {
        return exit;
      }
    }
    throw ContractViolation("one of the neighbours is nearer");
  });
}

}  // namespace dcube
