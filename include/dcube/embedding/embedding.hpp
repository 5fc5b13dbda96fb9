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

/// The graph that a program's processes form: which process talks to which. A plain value.
///
/// Process labels count the first coordinate fastest. A tree is numbered in breadth-first (heap)
/// order: root 0, children of i are 2i+1 and 2i+2. The edges of a cube fall into dimensions by the
/// bit that differs, those of a line, ring, mesh or torus by the coordinate, those of a tree by
/// left (0) and right (1) child.
class Guest {
 public:
  enum class Kind { cube, mesh, torus, tree };

  static Guest cube(std::uint32_t dimensions);
  /// "cube:6", "ring:64", "line:16", "mesh:8x8", "torus:4x4x4", "tree:15" (2^k-1 processes). At
  /// most 2^31 processes for a cube, 2^32-1 otherwise. Throws InputError (no place).
  static Guest parse(std::string_view text);

  Kind kind() const { return kind_; }
  /// Processes per dimension: {2, 2, ..} for a cube, {15} for a tree.
  std::span<const std::uint32_t> shape() const { return shape_; }
  std::uint32_t process_count() const { return process_count_; }
  std::uint32_t dimension_count() const;
  /// The other end of the edge of `dimension` that starts at `process`, each edge starting at one
  /// of its ends only; nothing when none does.
  std::optional<ProcessId> partner(ProcessId process, std::uint32_t dimension) const;
  /// "cube:6", "mesh:8x8": what parse() reads.
  std::string name() const;

  friend bool operator==(const Guest&, const Guest&) = default;

 private:
  Guest(Kind kind, std::vector<std::uint32_t> shape);

  std::optional<ProcessId> grid_partner(std::uint32_t label, std::uint32_t dimension) const;

  Kind kind_;
  std::vector<std::uint32_t> shape_;
  std::uint32_t process_count_;
};

/// Which node hosts which process: an injection, so a node hosts at most one. Const and
/// thread-safe.
class Embedding {
 public:
  virtual ~Embedding() = default;

  /// Name of its kind in the catalogue: "xor".
  virtual std::string_view kind() const = 0;
  virtual std::uint32_t process_count() const = 0;
  virtual NodeId node_of(ProcessId process) const = 0;
  /// node_of for the consecutive processes from `first` on, as many as `nodes` holds.
  virtual void nodes_of(ProcessId first, std::span<NodeId> nodes) const = 0;

  /// The whole map, process by process.
  std::vector<NodeId> map() const;
};

/// An entry of the catalogue.
struct EmbeddingKind {
  std::string name;
  std::string help;
  std::string example;  ///< "machine | guest | settings", e.g. "kind=ring,nodes=8 | cube:3 | "
  std::vector<ParameterHelp> parameters;
  /// Why the guest does not fit the machine, in a few words: "sides must be powers of two";
  /// nothing when it fits.
  std::optional<std::string> (*obstacle)(const Topology&, const Guest&);
  /// Needs a guest that fits. Throws InputError when a setting is unusable.
  std::unique_ptr<Embedding> (*make)(const Topology&, const Guest&, const Params&);
};

/// Every kind, sorted by name.
std::span<const EmbeddingKind* const> embedding_catalog();

/// Builds the embedding that `settings` describes: "kind" names the entry, "guest" (optional) a
/// process shape that must have as many processes as `guest` and replaces it. Throws InputError; if
/// the guest does not fit the machine it says why and what would.
std::unique_ptr<Embedding> make_embedding(const Topology& topology, const Guest& guest,
                                          const Params& settings);

/// Names of the kinds that fit and have no settings of their own, catalogue order: all but explicit
/// and random can be among them.
std::vector<std::string> fitting_embeddings(const Topology& topology, const Guest& guest);

}  // namespace dcube
