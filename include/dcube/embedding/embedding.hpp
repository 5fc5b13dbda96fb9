#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Graph of a program's processes: an edge joins two that exchange messages. A plain value.
///
/// Process labels count the first coordinate fastest. A tree is numbered breadth first, as a heap:
/// the root is 0, the children of i are 2i+1 and 2i+2. Every edge belongs to a dimension: in a cube
/// the bit in which its ends differ; in a line, ring, mesh or torus the coordinate; in a tree 0 for
/// a left child, 1 for a right one.
class Guest {
 public:
  enum class Kind { cube, mesh, torus, tree };

  static Guest cube(std::uint32_t dimensions);
  /// A cube if `count` is a power of two, else a line. Needs at least one process.
  static Guest of_processes(std::uint32_t count);
  /// Reads "cube:6" (at most 2^31 processes), "ring:64", "line:16", "mesh:8x8", "torus:4x4x4" or
  /// "tree:15" (2^k-1), at most 2^32-1 processes. Throws InputError (no place).
  static Guest parse(std::string_view text);

  Kind kind() const { return kind_; }
  /// Processes per dimension: {2, 2, ..} for a cube, {15} for a tree.
  std::span<const std::uint32_t> shape() const { return shape_; }
  std::uint32_t process_count() const { return process_count_; }
  std::uint32_t dimension_count() const;
  /// Names of the dimensions, where they have some.
  std::span<const std::string> axes() const { return axes_; }
  /// The same with a name for each dimension.
  Guest with_axes(std::vector<std::string> names) const;
  /// The other end of the edge of `dimension` that starts at `process`; nothing when none does.
  /// Each edge starts at one of its two ends.
  std::optional<ProcessId> partner(ProcessId process, std::uint32_t dimension) const;
  /// "cube:6", "mesh:8x8": text for parse().
  std::string name() const;

  /// Names of dimensions do not count.
  friend bool operator==(const Guest& a, const Guest& b) {
    return a.kind_ == b.kind_ && a.shape_ == b.shape_;
  }

 private:
  Guest(Kind kind, std::vector<std::uint32_t> shape);

  std::optional<ProcessId> grid_partner(std::uint32_t label, std::uint32_t dimension) const;

  Kind kind_;
  std::vector<std::uint32_t> shape_;
  std::uint32_t process_count_;
  std::vector<std::string> axes_{};
};

/// Names of the dimensions, or their numbers where they have none; those of the embedding "axes".
std::vector<std::string> names_of_axes(const Guest& guest);

/// Map from processes to nodes. A node hosts at most as many processes as it has slots, by default
/// one. Const and thread-safe.
class Embedding {
 public:
  virtual ~Embedding() = default;

  /// Name of the kind in the catalogue: "xor".
  virtual std::string_view kind() const = 0;
  virtual std::uint32_t process_count() const = 0;
  virtual NodeId node_of(ProcessId process) const = 0;
  /// Fills `nodes` with the nodes of the processes from `first` on.
  virtual void nodes_of(ProcessId first, std::span<NodeId> nodes) const = 0;

  std::vector<NodeId> map() const;
};

/// Processes to place, and the machine to place them on. Both must outlive it.
struct EmbeddingTask {
  const Topology& topology;
  const Guest& guest;
  std::uint32_t slots = 1;  ///< processes that a node hosts at most, >= 1

  /// Nodes that may host processes: neither failed nor kept free.
  std::uint32_t node_count() const { return topology.usable_count(); }
  /// Slots of all those nodes together.
  std::uint64_t slot_count() const { return std::uint64_t{node_count()} * slots; }
};

/// Use that an embedding makes of nodes with several slots.
enum class SlotUse {
  one,      ///< places at most one process on a node
  all,      ///< places processes on slots
  several,  ///< as `all`; with one slot a node it is the identity, so no alternative
  fold      ///< keeps dimensions of a cube inside nodes: the setting "fold"
};

struct EmbeddingKind {
  std::string name;
  std::string help;
  std::string example;  ///< "machine | guest | settings", e.g. "kind=ring,nodes=8 | cube:3 | "
  std::vector<ParameterHelp> parameters;
  /// Why the guest does not fit the machine ("sides must be powers of two"); nothing when it fits.
  std::optional<std::string> (*obstacle)(const EmbeddingTask&);
  /// Needs a guest that fits. Throws InputError when a setting is unusable.
  std::unique_ptr<Embedding> (*make)(const EmbeddingTask&, const Params&);
  SlotUse slot_use = SlotUse::one;
};

/// Every kind, sorted by name.
std::span<const EmbeddingKind* const> embedding_catalog();

/// The guest that the settings of an embedding name ("guest"), if any. Throws InputError.
std::optional<Guest> named_guest(const Params& settings);

/// Builds the embedding that `settings` describes. "kind" names the entry. "guest", which may be
/// left out, names a shape of as many processes that replaces `guest`. "fold" says which dimensions
/// of a cube stay inside nodes: "low" (default), "high" or a list; only as many do as it takes, so
/// a cube with no more processes than nodes has at most one process on a node. A node hosts up to
/// `slots` processes; nodes times slots are fewer than 2^32. Throws InputError; when the guest does
/// not fit the machine, it says why and what would fit.
std::unique_ptr<Embedding> make_embedding(const Topology& topology, const Guest& guest,
                                          const Params& settings, std::uint32_t slots = 1);

/// Names of the kinds that fit and have no settings of their own, in the catalogue's order, without
/// those that are the identity for this number of slots.
std::vector<std::string> fitting_embeddings(const Topology& topology, const Guest& guest,
                                            std::uint32_t slots = 1);

/// Whether the kind of this name fits.
bool embedding_fits(std::string_view kind, const Topology& topology, const Guest& guest,
                    std::uint32_t slots = 1);

/// All orders of the guest's dimensions for the embedding "axes", in the order of their names; a
/// dimension of one process stays last. Throws InputError (no place) for fewer than two or more
/// than five others.
std::vector<std::vector<std::string>> orders_of_axes(const Guest& guest);

}  // namespace dcube
