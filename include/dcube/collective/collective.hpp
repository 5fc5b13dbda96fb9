#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dcube/collective/plan.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/headers.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/group.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

// Collectives as data: for programs that replay what others recorded. dcube/collective/typed.hpp
// has the same collectives for values: `co_await allreduce(process.world(), values, std::plus{})`.

class Elements;

enum class CollectiveKind : std::uint8_t {
  all_to_all,
  all_to_allv,
  allgather,
  allreduce,
  barrier,
  broadcast,
  exscan,
  gather,
  reduce,
  reduce_scatter,
  scan,
  scatter
};
/// Every kind, sorted by name.
std::span<const CollectiveKind> collective_kinds();
/// "reduce_scatter".
std::string_view name_of(CollectiveKind kind);
/// Nothing when there is no such kind.
std::optional<CollectiveKind> find_collective(std::string_view name);

/// Tags from here on are those of collectives. A program whose own tags are below never confuses
/// its messages with theirs, unless it receives messages of any tag during a collective.
inline constexpr Tag first_collective_tag = Tag{1} << 31;
/// Tags that one collective uses: one for each port.
inline constexpr Tag tags_of_collective = 64;
/// CollectiveOptions::tag is below this.
inline constexpr Tag most_collective_tags = (Tag{1} << 31) / tags_of_collective - 1;

/// The sides of a mesh or torus of processes, the first coordinate counting fastest. At most 16.
class TorusSides {
 public:
  TorusSides() = default;
  /// Not a list: GCC 12 cannot make one in an expression that is awaited.
  template <std::integral... Side>
  requires(sizeof...(Side) > 0 && sizeof...(Side) <= 16) TorusSides(Side... side) {
    ((sides_[count_++] = static_cast<std::uint32_t>(side)), ...);
  }
  explicit TorusSides(std::span<const std::uint32_t> sides) {
    expects(sides.size() <= sides_.size(), "a torus of processes has at most 16 dimensions");
    for (const std::uint32_t side : sides) {
      sides_[count_++] = side;
    }
  }
  std::span<const std::uint32_t> sides() const { return {sides_.data(), count_}; }

 private:
  std::array<std::uint32_t, 16> sides_{};
  std::size_t count_ = 0;
};

/// What does not change the answer. A plain value: what it names must outlive the collective.
struct CollectiveOptions {
  /// The name of an entry of collective_catalog(), or "automatic": chosen by size and processes.
  std::string_view algorithm = "automatic";
  /// Parts of the data that travel at once, each its own way; 0: as many as the algorithm can use.
  std::uint32_t ports = 1;
  /// The group as a torus, for algorithms that use one; none: a ring.
  TorusSides sides{};
  /// So many consecutive ranks are on one node, for hierarchical algorithms.
  std::uint32_t node_size = 1;
  /// Of what is sent in pieces.
  std::uint64_t segment_bytes = 8192;
  /// Time that combining a byte takes; none by default.
  ExactTime compute{};
  /// Whether `a op b` is `b op a`. If not, algorithms that keep the order of ranks are used, and
  /// others refused.
  bool is_commutative = true;
  /// Tells collectives apart that processes take part in at once; below most_collective_tags.
  Tag tag = 0;
  /// Bytes of an element on the simulated machine; 0: of its type, or 1 where there is none.
  std::uint64_t element_bytes = 0;
};

/// A collective by its sizes. Every process of the group gives the same call, apart from the counts
/// of an all_to_allv. A plain value: what it names must outlive the collective.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::barrier;
  std::uint32_t root = 0;
  /// Elements: of everybody's whole vector (broadcast, reduce, allreduce, scan, exscan), or of the
  /// share of each process (allgather, gather, scatter, reduce_scatter, all_to_all: for each pair).
  std::uint64_t count = 0;
  /// Of the share of each rank, where shares are unequal (allgather, gather, scatter,
  /// reduce_scatter); otherwise empty.
  std::span<const std::uint64_t> counts{};
  /// all_to_allv: what this process sends to each rank, and receives from each.
  std::span<const std::uint64_t> send_counts{};
  std::span<const std::uint64_t> receive_counts{};
  CollectiveOptions options{};
};

/// What an algorithm asks for.
struct CollectiveNeeds {
  bool power_of_two = false;        ///< as many processes
  bool power_of_two_sides = false;  ///< of a torus of several dimensions
  bool even = false;                ///< as many processes
  bool commutative = false;         ///< an operation that is
  bool equal_shares = false;
  enum class Ports : std::uint8_t { one, two, two_a_dimension } ports = Ports::one;
  bool sides = false;     ///< can use a torus
  bool segments = false;  ///< few enough, of CollectiveOptions::segment_bytes
};

/// An entry of the catalogue.
struct CollectiveAlgorithm {
  CollectiveKind collective;
  std::string name;
  std::string help;
  CollectiveNeeds needs;
  /// What the process `rank` of `size` does. The call's ports are given.
  CollectivePlan (*make)(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size);
};

/// The algorithms of a collective, sorted by name. Valid until the next is registered.
std::span<const CollectiveAlgorithm* const> collective_catalog(CollectiveKind kind);

constexpr Headers collective_headers = headers_of<CollectiveAlgorithm, CollectiveCall,
                                                  CollectivePlan, CollectiveStep, Process, Group>();
/// As register_program().
bool register_collective(const CollectiveAlgorithm& algorithm,
                         Headers built_with = collective_headers);

/// Why the algorithm cannot do what is asked on so many processes: "needs an even number of
/// processes"; nothing when it can.
std::optional<std::string> collective_obstacle(const CollectiveAlgorithm& algorithm,
                                               const CollectiveCall& call, std::uint32_t size);
/// The algorithm that the call names, or that is picked for it. Throws InputError when there is
/// none of that name, or it cannot do what is asked.
const CollectiveAlgorithm& algorithm_for(const CollectiveCall& call, std::uint32_t size);
/// How many ports it uses for the call. Throws InputError when it cannot use as many as are asked
/// for.
std::uint32_t ports_for(const CollectiveAlgorithm& algorithm, const CollectiveCall& call);
/// What this process does. Throws InputError.
CollectivePlan plan_of(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size);

/// `co_await` takes part in the collective, with sizes only: a message is a size, and no memory is
/// needed for what it carries. Throws InputError, before anything is awaited, when the call is
/// unusable.
Task<> run_collective(Group group, CollectiveCall call);
/// The same with values: the same messages.
Task<> run_collective(Group group, CollectiveCall call, Elements& elements);

}  // namespace dcube
