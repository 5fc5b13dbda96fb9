#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// Bytes of a process in a collective, as a trace has them.
struct CollectiveBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// The process that recorded them.
struct CollectiveCaller {
  std::uint32_t size = 1;  ///< of the group
  std::uint32_t rank = 0;
  bool is_root = false;
};

/// ScheduledCollective::count, derived from the record of one process; nothing if that does not
/// show it (the root of a gather in place). Score-P adds up the bytes that would pass between each
/// two processes: an allreduce of 8 bytes over 4 processes sends 32 and receives 32, or 24 and 24
/// in place. Whether it was in place is not recorded; counts divisible by 8, then by 4, are
/// preferred. Throws InputError without a place when no count fits.
std::optional<std::uint64_t> shared_count(CollectiveKind kind, const CollectiveBytes& bytes,
                                          const CollectiveCaller& caller, bool is_score_p);

/// Shares of all ranks of a gather, scatter, allgather or reduce_scatter with unequal shares.
/// Throws InputError without a place when none fit.
std::vector<std::uint64_t> unequal_shares(CollectiveKind kind,
                                          const std::vector<CollectiveBytes>& bytes,
                                          bool is_score_p);

/// ScheduledCollective::of_ranks of an all_to_allv with only sums known: a pair's share is in
/// proportion to the sums that one sends and the other receives. Throws InputError without a place
/// unless sent and received totals are equal.
std::vector<std::vector<std::uint64_t>> shares_of_pairs(const std::vector<CollectiveBytes>& bytes);

}  // namespace dcube
