#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// What a process sent and received in a collective, as a trace has it.
struct CollectiveBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// Who says so: a process of a group.
struct CollectiveCaller {
  std::uint32_t size = 1;  ///< of the group
  std::uint32_t rank = 0;
  bool is_root = false;
};

/// What ScheduledCollective::count is by what one process has recorded; nothing when it recorded
/// nothing that says so (the root of a gather in place). Score-P adds up what would pass between
/// each two processes: an allreduce of 8 bytes over 4 processes sends 32 and receives 32, or 24 and
/// 24 in place. Whether it was in place is not recorded; a count of whole numbers of 8 bytes is
/// preferred, then of 4. Throws InputError without a place when no count fits.
std::optional<std::uint64_t> shared_count(CollectiveKind kind, const CollectiveBytes& bytes,
                                          const CollectiveCaller& caller, bool is_score_p);

/// The shares of all ranks of a gather, scatter, allgather or reduce_scatter with shares of their
/// own. Throws InputError without a place when none fit.
std::vector<std::uint64_t> unequal_shares(CollectiveKind kind,
                                          const std::vector<CollectiveBytes>& bytes,
                                          bool is_score_p);

/// ScheduledCollective::of_ranks of an all_to_allv of which only sums are known: what passes
/// between two processes is in proportion to what one sends and the other receives. Throws
/// InputError without a place unless as much is received as is sent.
std::vector<std::vector<std::uint64_t>> shares_of_pairs(const std::vector<CollectiveBytes>& bytes);

}  // namespace dcube
