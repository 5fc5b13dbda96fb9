#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "adjacency.hpp"

namespace dcube {

/// Shortest paths over links, found when they are asked for. From every node a path goes on to the
/// lowest-numbered neighbour that is one nearer, so paths are memoryless.
///
/// The distances to one destination come from one breadth-first search and are kept. Where the
/// tables of all destinations fit within a bound they stay, and reading one takes no lock.
/// Otherwise the table that was not used for longest makes room, roughly (second chance). Const and
/// thread-safe.
class ShortestPaths {
 public:
  /// Of all tables together; one is held in any case.
  static constexpr std::uint64_t most_table_bytes = std::uint64_t{128} << 20U;

  /// `links` run both ways.
  explicit ShortestPaths(Adjacency links, std::uint64_t table_bytes = most_table_bytes);
  ~ShortestPaths();
  ShortestPaths(const ShortestPaths&) = delete;
  ShortestPaths& operator=(const ShortestPaths&) = delete;

  const Adjacency& links() const { return links_; }
  /// `unreached` where there is no way.
  std::uint32_t distance(NodeId from, NodeId to) const;
  /// The first link of the path. Needs a way, and different nodes.
  Exit next(NodeId at, NodeId to) const;

 private:
  struct Table {
    std::uint32_t destination = 0;
    std::atomic<bool> was_used = true;
    std::vector<std::uint16_t> narrow;  ///< distances on machines of fewer than 2^16 - 1 nodes
    std::vector<std::uint32_t> wide;    ///< on others

    std::uint32_t operator[](NodeId node) const;
  };

  /// Calls `read(table)` with the distances to `to`.
  template <class Read>
  auto with_table(NodeId to, Read read) const;
  std::unique_ptr<Table> make_table(NodeId to) const;
  /// Puts the table in the place of another one if there is no more room. Needs the lock.
  Table* keep(std::unique_ptr<Table> table) const;

  Adjacency links_;
  std::size_t most_tables_;
  bool all_fit_;
  mutable std::vector<std::atomic<Table*>> table_of_;  ///< of every destination, or null
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Table>> tables_;
  mutable std::size_t hand_ = 0;  ///< the next table that may have to go
};

}  // namespace dcube
