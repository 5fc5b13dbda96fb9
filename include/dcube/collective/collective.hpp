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

// Collectives as data: for programs that replay recordings. dcube/collective/typed.hpp has the same
// collectives for values: `co_await allreduce(process.world(), values, std::plus{})`.

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
std::optional<CollectiveKind> find_collective(std::string_view name);

/// First tag of collectives. A program whose own tags are below never confuses its messages with
/// theirs: any_tag is none of them.
inline constexpr Tag first_collective_tag = Tag{1} << 31;
/// Tags of one collective, one for each port.
inline constexpr Tag tags_of_collective = 64;
/// CollectiveOptions::tag is below this.
inline constexpr Tag most_collective_tags = (Tag{1} << 31) / tags_of_collective - 1;

/// Sides of a mesh or torus of processes, the first coordinate counting fastest. At most 16.
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

/// Distances on the way from the root of a binomial or Bine tree: the nearest last, or first.
enum class TreeDistances : std::uint8_t { halving, doubling };

/// Options that do not change the answer. Texts that they name must outlive the collective.
struct CollectiveOptions {
  /// Name in collective_catalog(), or "automatic": chosen by size and number of processes.
  std::string_view algorithm = "automatic";
  /// Parts of the data that travel at once, each on its own way; 0: the algorithm's most.
  std::uint32_t ports = 1;
  /// Shape of the group, for algorithms that use a torus; none: a ring.
  TorusSides sides{};
  /// Row by row, for each side, what a wrap around it adds to each coordinate; none: a plain torus.
  /// A coordinate that is shifted has a row of zeros. Must outlive the collective.
  std::span<const std::uint32_t> twist{};
  /// Consecutive ranks on one node, for hierarchical algorithms.
  std::uint32_t node_size = 1;
  /// Size of a segment; 0: 8192 for algorithms that always send segments, else all at once.
  std::uint64_t segment_bytes = 0;
  /// Way through binomial and Bine trees.
  TreeDistances distances = TreeDistances::halving;
  /// Of `binomial` (broadcast, reduce) and `kary` trees; at least 2.
  std::uint32_t radix = 2;
  /// Time of combining a byte; nothing: the machine's.
  std::optional<ExactTime> compute{};
  /// How often the data of the call are copied in memory, which takes the machine's time, by every
  /// process, or by the root that gathers or scatters them; nothing: as often as the algorithm
  /// does.
  std::optional<std::uint32_t> copies = std::nullopt;
  /// How often one core of every process copies the data besides, whatever the ports, and a
  /// divisor: of what part of them.
  std::uint32_t serial_copies = 0;
  std::uint32_t serial_parts = 1;
  /// How often the processes tell each other something small before the first step.
  std::uint32_t exchanges = 0;
  /// How often a process works something out for each message before it sends it, and whether it
  /// sends each piece of memory by itself that a message is made of. Both take the machine's time.
  std::uint32_t plans = 0;
  bool sends_pieces = false;
  /// Whether a reduction along a tree takes all segments of a child before the next child's. Those
  /// of the last child go on as they come.
  bool child_by_child = false;
  /// Whether messages leave when their receiver has asked for them, and a port sends one only once
  /// the one before it has arrived. Those up to the machine's eager limit hold up nothing.
  bool sends_block = false;
  /// Whether `a op b` is `b op a`. If not, algorithms must keep the order of ranks.
  bool is_commutative = true;
  /// Tells simultaneous collectives apart; below most_collective_tags.
  Tag tag = 0;
  /// Bytes of an element on the simulated machine; 0: sizeof its type, or 1 without a type.
  std::uint64_t element_bytes = 0;
};

/// A collective by its sizes. Every process of the group gives the same call, apart from the counts
/// of an all_to_allv. Counts that it names must outlive the collective.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::barrier;
  std::uint32_t root = 0;
  /// Elements of everybody's whole vector (broadcast, reduce, allreduce, scan, exscan), of each
  /// share (allgather, gather, scatter, reduce_scatter) or of each pair of processes (all_to_all).
  std::uint64_t count = 0;
  /// Elements of each rank's share, if unequal (allgather, gather, scatter, reduce_scatter).
  std::span<const std::uint64_t> counts{};
  /// Elements that this process sends to each rank and receives from each (all_to_allv).
  std::span<const std::uint64_t> send_counts{};
  std::span<const std::uint64_t> receive_counts{};
  CollectiveOptions options{};
};

/// Requirements of an algorithm, and the options that it uses.
struct CollectiveNeeds {
  bool power_of_two = false;        ///< number of processes
  bool power_of_two_sides = false;  ///< if the torus has several dimensions
  bool even = false;                ///< number of processes
  bool commutative = false;         ///< operation
  bool equal_shares = false;
  /// Most ports. Rings: those of `disjoint_rings`.
  enum class Ports : std::uint8_t { one, two, two_a_dimension, two_a_ring } ports = Ports::one;
  bool sides = false;  ///< uses a torus
  /// Use of segments: all messages are cut into them if there is a size; each is passed on as soon
  /// as it has come, if there is a size, or always; or the algorithm has rules of its own.
  enum class Segments : std::uint8_t {
    of_messages,
    passed_on,
    always_passed_on,
    own
  } segments = Segments::of_messages;
  /// Calls for which the algorithm is more than another one under a second name: all, those of
  /// several ranks on a node, on a torus, or on a torus without a twist whose sides differ.
  enum class Gain : std::uint8_t {
    always,
    on_nodes,
    on_torus,
    on_unequal_sides
  } gain = Gain::always;
};

struct CollectiveAlgorithm {
  CollectiveKind collective;
  std::string name;
  std::string help;
  CollectiveNeeds needs;
  /// Plan of the process `rank` of `size`. The call's ports are not 0.
  CollectivePlan (*make)(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size);
  /// Why it cannot do a call that meets its needs, if so.
  std::optional<std::string> (*obstacle)(const CollectiveCall& call, std::uint32_t size) = nullptr;
  /// How often it copies the data of a call among `size` processes; null: never.
  std::uint32_t (*copies)(std::uint32_t size) = nullptr;
};

/// The algorithms of a collective, sorted by name. Valid until the next is registered.
std::span<const CollectiveAlgorithm* const> collective_catalog(CollectiveKind kind);

constexpr Headers collective_headers = headers_of<CollectiveAlgorithm, CollectiveCall,
                                                  CollectivePlan, CollectiveStep, Process, Group>();
/// Registers an algorithm, as register_program() does a program.
bool register_collective(const CollectiveAlgorithm& algorithm,
                         Headers built_with = collective_headers);

/// Why the algorithm cannot do the call ("needs an even number of processes"), or nothing.
std::optional<std::string> collective_obstacle(const CollectiveAlgorithm& algorithm,
                                               const CollectiveCall& call, std::uint32_t size);
/// Whether the algorithm is more than another one for calls with these options.
bool has_gain(const CollectiveAlgorithm& algorithm, const CollectiveOptions& options);
/// The algorithm that the call names or "automatic" stands for. Throws InputError when there is
/// none of that name, or it cannot do the call.
const CollectiveAlgorithm& algorithm_for(const CollectiveCall& call, std::uint32_t size);
/// Ports that the algorithm uses for the call. Throws InputError when the call wants too many.
std::uint32_t ports_for(const CollectiveAlgorithm& algorithm, const CollectiveCall& call);
/// Plan of this process. Throws InputError.
CollectivePlan plan_of(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size);

/// `co_await` takes part in the collective with sizes alone: messages hold no data. Throws
/// InputError, before anything is awaited, when the call is unusable.
Task<> run_collective(Group group, CollectiveCall call);
/// Takes part with values, in messages of the same sizes.
Task<> run_collective(Group group, CollectiveCall call, Elements& elements);

}  // namespace dcube
