#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dcube/topology/adjacency.hpp"

namespace dcube {

/// Shortest paths over links, computed on demand. From every node a path goes on to the
/// lowest-numbered neighbour that is one nearer, so paths are memoryless.
///
/// The paths to one destination come from one breadth-first search. Their table has two bits a
/// node: distances of neighbours differ by at most one, so their remainders by 3 tell which
/// neighbour is nearer; a node that paths do not pass compares lengths. If the tables of all
/// destinations fit a limit, they stay, and reading one takes no lock. Otherwise an old one makes
/// room (second chance). Const and thread-safe.
class ShortestPaths {
 public:
  /// Limit for all tables together; one is held in any case.
  static constexpr std::uint64_t most_table_bytes = std::uint64_t{256} << 20U;

  /// `links` run both ways. Paths pass nodes from `first_forwarder` on.
  explicit ShortestPaths(Adjacency links, std::uint64_t table_bytes = most_table_bytes,
                         std::uint32_t first_forwarder = 0);
  ~ShortestPaths();
  ShortestPaths(const ShortestPaths&) = delete;
  ShortestPaths& operator=(const ShortestPaths&) = delete;

  const Adjacency& links() const { return links_; }
  /// `unreached` without a path. O(1) if the last call had the same `from`, else O(path length).
  std::uint32_t distance(NodeId from, NodeId to) const;
  /// First link of the path. Needs a path, and different nodes.
  Exit next(NodeId at, NodeId to) const;
  /// Whether the tables of all destinations stay, once they are made.
  bool keeps_all_tables() const { return all_fit_; }
  /// Appends the links from `at` to nodes one nearer to `to`, in the order of links(). Needs a
  /// path, and different nodes.
  void list_nearer(NodeId at, NodeId to, std::vector<const Exit*>& found) const;

 private:
  struct Table {
    std::uint32_t destination = 0;
    std::atomic<bool> was_used = true;
    std::vector<std::uint8_t> remainders;  ///< four nodes a byte

    std::uint32_t operator[](NodeId node) const {
      return remainders[node.index() / 4] >> (node.index() % 4 * 2) & 3U;
    }
  };

  /// Distances of all nodes from one.
  struct Distances {
    NodeId from;
    std::vector<std::uint32_t> to;
  };

  /// Calls `read(table)` with the table of the destination `to`.
  template <class Read>
  auto with_table(NodeId to, Read read) const;
  std::unique_ptr<Table> make_table(NodeId to) const;
  /// Stores the table, in place of another one if there is no room. Needs the lock.
  Table* keep(std::unique_ptr<Table> table) const;
  /// The exit to the lowest-numbered neighbour that is one nearer.
  const Exit& nearer(const Table& table, NodeId at) const;
  std::uint32_t hops(const Table& table, NodeId from) const;
  /// Whether paths may go through the node, or end there.
  bool admits(const Table& table, NodeId node) const {
    return node.index() >= first_forwarder_ || node.index() == table.destination;
  }

  Adjacency links_;
  std::uint32_t first_forwarder_;
  std::size_t most_tables_;
  bool all_fit_;
  mutable std::vector<std::atomic<Table*>> table_of_;  ///< [destination], or null
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Table>> tables_;
  mutable std::size_t hand_ = 0;  ///< next candidate to be replaced
  mutable std::mutex distances_mutex_;
  mutable std::optional<NodeId> last_from_;  ///< of the last distance()
  mutable std::optional<Distances> distances_;
};

}  // namespace dcube
