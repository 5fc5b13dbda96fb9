#include "dcube/collective/calls.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"

namespace dcube {
namespace {

constexpr std::array collective_names{
    std::string_view{"all_to_all"}, std::string_view{"all_to_allv"},
    std::string_view{"allgather"},  std::string_view{"allreduce"},
    std::string_view{"barrier"},    std::string_view{"broadcast"},
    std::string_view{"exscan"},     std::string_view{"gather"},
    std::string_view{"reduce"},     std::string_view{"reduce_scatter"},
    std::string_view{"scan"},       std::string_view{"scatter"}};
/// All kinds, which are numbered in the order of their names.
constexpr auto kinds_by_name = [] {
  std::array<CollectiveKind, collective_names.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] = static_cast<CollectiveKind>(i);
  }
  return kinds;
}();

/// Sum of `counts`. Throws unless there is one for each process and the sum has at most 63 bits.
std::uint64_t checked_sum(std::span<const std::uint64_t> counts, std::uint32_t size,
                          std::string_view name) {
  refuse_if(counts.size() != size, "", "{} has {} for {}", name, counted(counts.size(), "entry"),
            counted(size, "process"));
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) {
    const bool is_past = __builtin_add_overflow(sum, count, &sum);
    refuse_if(is_past || sum >> 63 != 0, "", "the sum of {} is past 63 bits", name);
  }
  return sum;
}

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  const bool is_past = __builtin_mul_overflow(a, b, &product);
  refuse_if(is_past || product >> 63 != 0, "", "a collective's size is past 63 bits");
  return product;
}

void check_twist(const CollectiveOptions& options, std::string_view name) {
  const std::span<const std::uint32_t> sides = options.sides.sides();
  const std::span<const std::uint32_t> twist = options.twist;
  if (twist.empty()) {
    return;
  }
  refuse_if(twist.size() != sides.size() * sides.size(), "",
            "{} has a twist of {} numbers (one for each side and coordinate: {})", name,
            twist.size(), sides.size() * sides.size());
  const auto shifts = [&](std::size_t d) {
    return std::ranges::any_of(twist.subspan(d * sides.size(), sides.size()),
                               [](std::uint32_t by) { return by != 0; });
  };
  for (std::size_t i = 0; i < twist.size(); ++i) {
    const std::size_t from = i / sides.size();
    const std::size_t to = i % sides.size();
    refuse_if(twist[i] >= sides[to], "", "{} has a twist by {} of a coordinate of side {}", name,
              twist[i], sides[to]);
    refuse_if(twist[i] != 0 && (sides[from] == 1 || shifts(to)), "",
              "{} has a twist of side {} that shifts coordinate {} (which needs a row of zeros)",
              name, from, to);
  }
}

}  // namespace

std::span<const CollectiveKind> collective_kinds() { return kinds_by_name; }

std::string_view name_of(CollectiveKind kind) {
  return collective_names[static_cast<std::size_t>(kind)];
}

std::optional<CollectiveKind> find_collective(std::string_view name) {
  const auto found = std::ranges::find(collective_names, name);
  if (found == collective_names.end()) {
    return std::nullopt;
  }
  return kinds_by_name[static_cast<std::size_t>(found - collective_names.begin())];
}

std::uint64_t element_bytes_of(const CollectiveCall& call) {
  return call.options.element_bytes == 0 ? 1 : call.options.element_bytes;
}

bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce ||
         kind == CollectiveKind::gather || kind == CollectiveKind::scatter;
}

bool has_shares(CollectiveKind kind) {
  return kind == CollectiveKind::allgather || kind == CollectiveKind::gather ||
         kind == CollectiveKind::scatter || kind == CollectiveKind::reduce_scatter;
}

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::allreduce ||
         kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::scan ||
         kind == CollectiveKind::exscan;
}

std::uint64_t segments_of(const CollectiveCall& call, std::uint64_t usual_bytes) {
  const std::uint64_t bytes =
      call.options.segment_bytes == 0 ? usual_bytes : call.options.segment_bytes;
  if (bytes == 0) {
    return 1;
  }
  const std::uint64_t segment = std::max<std::uint64_t>(1, bytes / element_bytes_of(call));
  return std::max<std::uint64_t>(1, call.count / segment + (call.count % segment != 0 ? 1 : 0));
}

std::uint64_t elements_of(const CollectiveCall& call, std::uint32_t size) {
  if (!has_shares(call.kind)) {
    return call.count;
  }
  return call.counts.empty() ? call.count * size : sum_of(call.counts);
}

std::uint64_t copied_elements(const CollectiveCall& call, std::uint32_t copies,
                              std::uint32_t size) {
  const std::uint64_t elements = call.kind == CollectiveKind::all_to_allv ? sum_of(call.send_counts)
                                 : call.kind == CollectiveKind::all_to_all
                                     ? checked_product(call.count, size)
                                     : elements_of(call, size);
  checked_product(checked_product(elements, element_bytes_of(call)), copies);
  return elements * copies;
}

std::vector<std::uint64_t> set_counts(CollectiveCall& call, std::uint64_t elements,
                                      std::uint32_t size) {
  const bool is_exchange = call.kind == CollectiveKind::all_to_all;
  if (!is_exchange && !has_shares(call.kind)) {
    call.count = elements;
    return {};
  }
  const std::uint64_t rest = elements % size;
  refuse_if(is_exchange && rest != 0, "",
            "{} bytes are not the same number of values of {} for each of {} processes",
            elements * element_bytes_of(call), element_bytes_of(call), size);
  call.count = elements / size;
  std::vector<std::uint64_t> shares(rest != 0 ? size : 0, call.count);
  std::for_each_n(shares.begin(), rest, [](std::uint64_t& share) { ++share; });
  return shares;
}

void check_call(const CollectiveCall& call, std::uint32_t size) {
  const CollectiveOptions& options = call.options;
  const std::string_view name = name_of(call.kind);
  refuse_if(has_root(call.kind) && call.root >= size, "",
            "{} has the root {} (the ranks are 0 to {})", name, call.root, size - 1);
  refuse_if(!call.counts.empty() && !has_shares(call.kind), "",
            "{} has counts of each process (only allgather, gather, scatter and reduce_scatter do)",
            name);
  std::uint64_t elements = call.count;
  if (call.kind == CollectiveKind::all_to_allv) {
    elements = std::max(checked_sum(call.send_counts, size, "send_counts"),
                        checked_sum(call.receive_counts, size, "receive_counts"));
  } else if (!call.counts.empty()) {
    elements = checked_sum(call.counts, size, "counts");
  } else if (has_shares(call.kind) || call.kind == CollectiveKind::all_to_all) {
    elements = checked_product(call.count, size);
  }
  checked_product(elements, element_bytes_of(call));
  refuse_if(options.tag >= most_collective_tags, "", "{} has the tag {} (less than {})", name,
            options.tag, most_collective_tags);
  refuse_if(options.node_size == 0, "", "{} has 0 processes a node", name);
  refuse_if(options.radix < 2, "", "{} has trees of radix {} (at least 2)", name, options.radix);
  const std::span<const std::uint32_t> sides = options.sides.sides();
  if (!sides.empty()) {
    std::uint64_t product = 1;
    for (const std::uint32_t side : sides) {
      product = checked_product(product, side);
    }
    refuse_if(product != size, "", "{} is on a torus of {} processes, but the group has {}", name,
              product, size);
  }
  check_twist(options, name);
}

// MPICH's rules and thresholds where each process has a node (src/mpi/coll/mpir_coll_sched_auto.c:
// MPIR_Ibcast_intra_sched_auto and the like; of barriers MPIR_Barrier_intra_dissemination). Bytes
// are those of all shares together, in an all-to-all those to one process. MPICH has algorithms of
// its own for a reduce_scatter that does not commute, and linear ones for gatherv and scatterv.
std::string_view automatic_algorithm(const CollectiveCall& call, std::uint32_t size) {
  const std::uint64_t elements = elements_of(call, size);
  const std::uint64_t bytes = elements * element_bytes_of(call);
  const std::uint32_t power = std::bit_floor(size);
  const bool is_commutative = call.options.is_commutative;
  switch (call.kind) {
    case CollectiveKind::allgather:
      if (size == power && bytes < 524288) {
        return "recursive_doubling";
      }
      return bytes < 81920 ? "bruck" : "ring";
    case CollectiveKind::allreduce:
      return bytes > 2048 && elements >= power && is_commutative ? "rabenseifner"
                                                                 : "recursive_doubling";
    case CollectiveKind::all_to_all:
      if (bytes <= 256 && size >= 8) {
        return "bruck";
      }
      // MPICH posts all messages of the linear one, which would be a deadlock if they blocked.
      return bytes <= 32768 && !call.options.sends_block ? "linear" : "pairwise";
    case CollectiveKind::all_to_allv:
      return call.options.sends_block ? "pairwise" : "linear";
    case CollectiveKind::barrier:
      return "dissemination";
    case CollectiveKind::broadcast:
      if (bytes < 12288 || size < 8) {
        return "binomial";
      }
      return bytes < 524288 && size == power ? "scatter_allgather" : "scatter_ring";
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return "binomial";
    case CollectiveKind::reduce:
      return bytes > 2048 && elements >= power && is_commutative ? "rabenseifner" : "binomial";
    case CollectiveKind::reduce_scatter:
      return bytes < 524288 && is_commutative ? "recursive_halving" : "pairwise";
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      break;
  }
  return "recursive_doubling";
}

}  // namespace dcube
