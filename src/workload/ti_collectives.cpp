#include "ti_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/collective/collective.hpp"

namespace dcube {
namespace {

/// Sizes of SimGrid's datatypes, by their numbers in its smpi_datatype.cpp: double, int, char,
/// short, long, float, byte, .. 0: a mark, or a type defined by a program.
constexpr std::array<std::uint8_t, ti_datatypes> bytes_of_type{
    8, 4, 1, 2,  8,  4, 1, 8, 1,  1,  2, 4, 8, 8,  16, 4,  1,  1, 2, 4, 8, 1,  2,  4, 8, 8, 16, 32,
    8, 8, 8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8,  16, 16, 4, 2, 4, 8, 16, 32, 0, 0, 1, 8,  8};

}  // namespace

std::uint64_t ti_datatype_bytes(std::int64_t type) {
  return type >= 0 && type < ti_datatypes ? bytes_of_type[static_cast<std::size_t>(type)] : 0;
}

const std::map<std::string_view, TiCollective>& ti_collectives() {
  static const std::map<std::string_view, TiCollective> all{
      {"barrier", {CollectiveKind::barrier, -779}},
      {"bcast", {CollectiveKind::broadcast, -3335}},
      {"reduce", {CollectiveKind::reduce, -113}},
      {"allreduce", {CollectiveKind::allreduce, -4446}},
      {"scan", {CollectiveKind::scan, -889}},
      {"exscan", {CollectiveKind::exscan, -889}},
      {"reducescatter", {CollectiveKind::reduce_scatter, -890}},
      {"alltoall", {CollectiveKind::all_to_all, -1113}},
      {"allgather", {CollectiveKind::allgather, -557}},
      {"gather", {CollectiveKind::gather, -446}},
      {"scatter", {CollectiveKind::scatter, -224}},
      {"alltoallv", {CollectiveKind::all_to_allv, -1001}},
      {"allgatherv", {CollectiveKind::allgather, -668}},
      {"gatherv", {CollectiveKind::gather, -2224}},
      {"scatterv", {CollectiveKind::scatter, -335}}};
  return all;
}

bool is_tag_of_ti_collective(std::int64_t tag) {
  return std::ranges::any_of(ti_collectives(),
                             [&](const auto& known) { return known.second.tag == tag; });
}

bool agree(ScheduledCollective& known, ScheduledCollective& collective) {
  // A process that gives its data in place has a count of 0.
  const bool has_root =
      known.kind == CollectiveKind::gather || known.kind == CollectiveKind::scatter;
  if (has_root && (known.count == 0 || collective.count == 0)) {
    known.count = collective.count = std::max(known.count, collective.count);
  }
  // SimGrid writes unequal shares as 0 everywhere but at the root.
  const auto are_zero = [](const std::vector<std::uint64_t>& shares) {
    return std::ranges::all_of(shares, [](std::uint64_t share) { return share == 0; });
  };
  if (has_root && known.counts.size() == collective.counts.size() &&
      (are_zero(known.counts) || are_zero(collective.counts))) {
    known.counts = collective.counts = std::max(known.counts, collective.counts);
  }
  return known.kind == collective.kind && known.root == collective.root &&
         known.count == collective.count && known.element_bytes == collective.element_bytes &&
         known.counts == collective.counts;
}

std::string unequal_counts(const ScheduledCollective& collective, std::uint32_t rank,
                           std::size_t processes) {
  for (std::uint32_t other = 0; other < collective.of_ranks.size(); ++other) {
    for (const auto& [from, to] : {std::pair{rank, other}, std::pair{other, rank}}) {
      if (collective.of_ranks[other].empty()) {
        continue;
      }
      const std::uint64_t sent = collective.of_ranks[from][to];
      const std::uint64_t received = collective.of_ranks[to][processes + from];
      if (sent != received) {
        return fmt::format(
            "rank {} sends rank {} {} elements in its alltoallv, where that receives {}", from, to,
            sent, received);
      }
    }
  }
  return {};
}

std::string describe(const ScheduledCollective& collective) {
  return fmt::format("{} of {} elements of {} bytes, root {},", name_of(collective.kind),
                     collective.counts.empty() ? fmt::format("{}", collective.count)
                                               : joined(collective.counts, ", "),
                     collective.element_bytes, collective.root);
}

}  // namespace dcube
