#pragma once

#include <cstdint>
#include <vector>

#include "dcube/collective/collective.hpp"

namespace dcube {

/// CollectiveOptions::element_bytes, or 1 where that is 0.
std::uint64_t element_bytes_of(const CollectiveCall& call);

/// Size of segments that the options do not name.
inline constexpr std::uint64_t usual_segment_bytes = 8192;
/// Segments that the options cut the call's elements into, at least 1. `usual_bytes`: without a
/// size (0: one segment).
std::uint64_t segments_of(const CollectiveCall& call, std::uint64_t usual_bytes);

/// Elements by which MPI's selectors choose: of the whole vector, of all shares together, or, of an
/// all-to-all, those sent to one process.
std::uint64_t elements_of(const CollectiveCall& call, std::uint32_t size);
/// Elements that a process copies which copies its data so often. Throws InputError past 63 bits.
std::uint64_t copied_elements(const CollectiveCall& call, std::uint32_t copies, std::uint32_t size);
/// Sets the call's count from `elements`, the whole as scenarios give it: of all processes together
/// (allgather, gather, scatter, reduce_scatter), of what a process sends to all (all_to_all), or of
/// each process. Returns the shares if they are unequal, for the call's counts. Throws InputError
/// if those of an all_to_all are.
std::vector<std::uint64_t> set_counts(CollectiveCall& call, std::uint64_t elements,
                                      std::uint32_t size);
bool has_root(CollectiveKind kind);
/// Whether every process has a share of its own, which may be larger than another.
bool has_shares(CollectiveKind kind);
bool reduces(CollectiveKind kind);

/// Throws InputError for a call that no algorithm can do.
void check_call(const CollectiveCall& call, std::uint32_t size);

/// Name of the algorithm that "automatic" stands for.
std::string_view automatic_algorithm(const CollectiveCall& call, std::uint32_t size);

}  // namespace dcube
