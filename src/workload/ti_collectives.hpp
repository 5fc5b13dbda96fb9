#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// A collective, with the tag by which SimGrid 3.32 waits for it if it was started.
struct TiCollective {
  CollectiveKind kind{};
  std::int64_t tag = 0;
};

/// Collectives by the names of their actions.
const std::map<std::string_view, TiCollective>& ti_collectives();
bool is_tag_of_ti_collective(std::int64_t tag);

/// Whether two ranks call the same. Fills in what one of them leaves to the root.
bool agree(ScheduledCollective& known, ScheduledCollective& collective);
/// What is wrong with the counts of an alltoallv between this rank, of so many, and those that have
/// called: what is sent must be what is received, as MPI demands. Empty: nothing.
std::string unequal_counts(const ScheduledCollective& collective, std::uint32_t rank,
                           std::size_t processes);
/// "broadcast of 5 elements of 8 bytes, root 0,".
std::string describe(const ScheduledCollective& collective);

/// Bytes of SimGrid's datatype of this number; 0: unknown.
std::uint64_t ti_datatype_bytes(std::int64_t type);
inline constexpr std::int64_t ti_datatypes = 56;

}  // namespace dcube
