#include "catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/registry.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "hamiltonian_rings.hpp"

namespace dcube {
namespace {

using Algorithms = Registry<CollectiveAlgorithm>;

Algorithms& algorithms_of(CollectiveKind kind) {
#define DCUBE_KIND_ADDRESS(name) &name##_algorithm,
  static constexpr const CollectiveAlgorithm* own[] = {DCUBE_COLLECTIVES(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS
  static std::vector<Algorithms> registries = [] {
    std::vector<Algorithms> made;
    for (std::size_t i = 0; i < collective_kinds().size(); ++i) {
      const auto collective = static_cast<CollectiveKind>(i);
      std::vector<const CollectiveAlgorithm*> entries = kept(
          own, [&](const CollectiveAlgorithm* entry) { return entry->collective == collective; });
      std::ranges::sort(entries, {}, &CollectiveAlgorithm::name);
      made.emplace_back("collective algorithm", entries);
    }
    return made;
  }();
  return registries[static_cast<std::size_t>(kind)];
}

bool are_equal(std::span<const std::uint64_t> counts) {
  return std::ranges::adjacent_find(counts, std::ranges::not_equal_to{}) == counts.end();
}

/// Rank 0 posts all segments at once. The limit is that of packets of a message.
constexpr std::uint64_t most_segments = std::uint64_t{1} << 20;

std::uint32_t most_ports(const CollectiveAlgorithm& algorithm, const CollectiveCall& call) {
  switch (algorithm.needs.ports) {
    case CollectiveNeeds::Ports::one:
      break;
    case CollectiveNeeds::Ports::two:
      return 2;
    case CollectiveNeeds::Ports::two_a_dimension:
      return 2 * std::max<std::uint32_t>(
                     1, static_cast<std::uint32_t>(call.options.sides.sides().size()));
    case CollectiveNeeds::Ports::two_a_ring:
      return 2 * ring_count(call.options);
  }
  return 1;
}

/// What is scattered, exchanged or combined is copied first, so that what belongs together lies
/// together. What is gathered or broadcast is copied last, to where it belongs.
void add_copies(const CollectiveCall& call, const CollectiveAlgorithm& algorithm,
                std::uint32_t rank, std::uint32_t size, CollectivePlan& plan) {
  const std::uint32_t copies = call.options.copies           ? *call.options.copies
                               : algorithm.copies != nullptr ? algorithm.copies(size)
                                                             : 0;
  const std::uint32_t serial_copies = call.options.serial_copies;
  const bool is_of_root =
      call.kind == CollectiveKind::gather || call.kind == CollectiveKind::scatter;
  if ((copies == 0 && serial_copies == 0) || (is_of_root && rank != call.root)) {
    return;
  }
  const bool is_last = call.kind == CollectiveKind::allgather ||
                       call.kind == CollectiveKind::broadcast ||
                       call.kind == CollectiveKind::gather;
  CollectivePlan::Copied& copied = is_last ? plan.copied_last : plan.copied_first;
  copied.by_ports = copied_elements(call, copies, size);
  copied.by_one_core = copied_elements(call, serial_copies, size) / call.options.serial_parts;
}

}  // namespace

std::span<const CollectiveAlgorithm* const> collective_catalog(CollectiveKind kind) {
  return algorithms_of(kind).kinds();
}

bool register_collective(const CollectiveAlgorithm& algorithm, Headers built_with) {
  // The kind of an entry compiled with other headers may be anything; any registry refuses it.
  const bool is_known = static_cast<std::size_t>(algorithm.collective) < collective_kinds().size();
  const CollectiveKind kind = is_known ? algorithm.collective : CollectiveKind{};
  return algorithms_of(kind).add(algorithm, built_with, collective_headers);
}

std::optional<std::string> collective_obstacle(const CollectiveAlgorithm& algorithm,
                                               const CollectiveCall& call, std::uint32_t size) {
  const CollectiveNeeds& needs = algorithm.needs;
  const std::span<const std::uint32_t> sides = call.options.sides.sides();
  if (needs.power_of_two && !std::has_single_bit(size)) {
    return "needs a power of two of processes";
  }
  if (needs.power_of_two_sides && sides.size() > 1 &&
      !std::ranges::all_of(sides, [](std::uint32_t side) { return std::has_single_bit(side); })) {
    return "needs sides that are powers of two";
  }
  if (needs.even && size % 2 != 0 && size > 1) {
    return "needs an even number of processes";
  }
  if (needs.commutative && !call.options.is_commutative && reduces(call.kind)) {
    return "needs an operation that is commutative";
  }
  if (needs.equal_shares && !are_equal(call.counts)) {
    return "needs equal shares";
  }
  using Segments = CollectiveNeeds::Segments;
  const std::uint64_t usual_bytes =
      needs.segments == Segments::always_passed_on ? usual_segment_bytes : 0;
  CollectiveCall cut = call;
  if (needs.segments == Segments::passed_on) {
    cut.count = elements_of(call, size);  // also what is scattered goes on as a whole
  }
  if (const std::uint64_t segments = segments_of(cut, usual_bytes);
      needs.segments != Segments::own && segments > most_segments) {
    return fmt::format("would send {} segments of {} bytes, which are more than {}", segments,
                       call.options.segment_bytes == 0 ? usual_bytes : call.options.segment_bytes,
                       most_segments);
  }
  return algorithm.obstacle != nullptr ? algorithm.obstacle(call, size) : std::nullopt;
}

bool has_gain(const CollectiveAlgorithm& algorithm, const CollectiveOptions& options) {
  using Gain = CollectiveNeeds::Gain;
  const std::span<const std::uint32_t> sides = options.sides.sides();
  switch (algorithm.needs.gain) {
    case Gain::on_nodes:
      return options.node_size > 1;
    case Gain::on_torus:
      return !sides.empty();
    case Gain::on_unequal_sides:
      return options.twist.empty() &&
             std::ranges::adjacent_find(sides, std::ranges::not_equal_to{}) != sides.end();
    default:
      return true;
  }
}

const CollectiveAlgorithm& algorithm_for(const CollectiveCall& call, std::uint32_t size) {
  check_call(call, size);
  const std::span<const CollectiveAlgorithm* const> catalog = collective_catalog(call.kind);
  const bool is_automatic = call.options.algorithm == "automatic";
  const std::string_view name =
      is_automatic ? automatic_algorithm(call, size) : call.options.algorithm;
  const CollectiveAlgorithm* const algorithm = find_kind(catalog, name);
  if (algorithm == nullptr) {
    std::vector<std::string> names = names_of(catalog);
    names.emplace_back("automatic");
    throw InputError("", fmt::format("`{}` is not an algorithm of {}{}", name, name_of(call.kind),
                                     nearest_name_hint(name, names)));
  }
  if (const std::optional<std::string> obstacle = collective_obstacle(*algorithm, call, size)) {
    throw InputError("",
                     fmt::format("the algorithm {} of {} {}", name, name_of(call.kind), *obstacle));
  }
  return *algorithm;
}

std::uint32_t ports_for(const CollectiveAlgorithm& algorithm, const CollectiveCall& call) {
  const std::uint32_t most = most_ports(algorithm, call);
  const std::uint32_t ports = call.options.ports;
  refuse_if(ports > most, "", "the algorithm {} of {} uses at most {} port{}, not {}",
            algorithm.name, name_of(call.kind), most, most == 1 ? "" : "s", ports);
  return ports == 0 ? most : ports;
}

CollectivePlan plan_of(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const CollectiveAlgorithm& algorithm = algorithm_for(call, size);
  CollectiveCall given = call;
  given.options.ports = ports_for(algorithm, call);
  CollectivePlan plan = algorithm.make(given, rank, size);
  add_copies(call, algorithm, rank, size, plan);
  plan.plans = call.options.plans;
  plan.rounds =
      std::uint64_t{call.options.exchanges} * static_cast<std::uint32_t>(std::bit_width(size - 1));
  plan.sends_pieces = call.options.sends_pieces;
  plan.sends_block = call.options.sends_block;
  if (given.options.segment_bytes > 0 &&
      algorithm.needs.segments == CollectiveNeeds::Segments::of_messages) {
    const std::uint64_t elements =
        std::max<std::uint64_t>(1, given.options.segment_bytes / element_bytes_of(given));
    for (CollectiveSteps& steps : plan.ports) {
      steps = cut_messages(std::move(steps), elements, rank);
    }
  }
  return plan;
}

}  // namespace dcube
