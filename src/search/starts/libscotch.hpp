#pragma once

#include <scotch.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// What dcube takes of libscotch: errors as exceptions, structures that are given back, graphs, and
// one way to map them.

namespace dcube::libscotch {

inline constexpr std::uint64_t most_num = std::numeric_limits<SCOTCH_Num>::max();

/// As long as it lives, errors of libscotch in this thread are kept for check().
class KeepingErrors {
 public:
  KeepingErrors();
  KeepingErrors(const KeepingErrors&) = delete;
  KeepingErrors& operator=(const KeepingErrors&) = delete;
  ~KeepingErrors();

 private:
  std::string error_;
};

/// Throws InputError (no place) where the status of a function says that it failed.
void check(int status, const char* what);

/// A structure of libscotch: initialised, and given back at the end.
template <class Structure, int (*initialise)(Structure*), void (*give_back)(Structure*)>
class Owned {
 public:
  Owned() { check(initialise(&structure_), "start"); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { give_back(&structure_); }

  Structure* get() { return &structure_; }

 private:
  Structure structure_;
};

using Arch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;

/// A graph: the neighbours of a vertex, and what its edges weigh.
struct Graph {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> neighbours;
  std::vector<SCOTCH_Num> weights;

  friend bool operator==(const Graph&, const Graph&) = default;
};

/// The graph of these vertices, numbered as they are listed. `number` has a -1 for every vertex,
/// before and afterwards.
Graph part_of(const Graph& whole, const std::vector<SCOTCH_Num>& vertices,
              std::vector<SCOTCH_Num>& number);

/// How libscotch maps a graph.
struct Mapping {
  std::uint64_t seed = 0;
  SCOTCH_Num strategy = SCOTCH_STRATQUALITY;
  double excess = 0;  ///< over the mean of a part
  bool has_fixed = false;
};

/// Maps the first vertices of the graph, as many as `parts`, onto a target of so many vertices.
/// Where some are fixed, `parts` tells where, and is -1 for the others.
void map_onto(SCOTCH_Arch* target, SCOTCH_Num target_size, const Graph& graph,
              const Mapping& mapping, std::vector<SCOTCH_Num>& parts);

}  // namespace dcube::libscotch
