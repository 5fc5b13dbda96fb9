#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/collective/collective.hpp"

namespace dcube {

/// What the options say, or 1.
std::uint64_t element_bytes_of(const CollectiveCall& call);

/// Pieces that the options cut the call's elements into, at least 1.
std::uint64_t segments_of(const CollectiveCall& call);

/// Elements of everything that the collective is about, as MPI's selectors look at it: the whole
/// vector, all shares together, or, of an all-to-all, what is sent to one process.
std::uint64_t elements_of(const CollectiveCall& call, std::uint32_t size);
/// Gives the call its count from the elements of the whole, as scenarios say them: of what all have
/// together (allgather, gather, scatter, reduce_scatter), of what a process sends to all
/// (all_to_all), or of what each has. Returns the shares where they are unequal: the call's counts
/// are to name them. Throws InputError where those of an all_to_all would be.
std::vector<std::uint64_t> share_out(CollectiveCall& call, std::uint64_t elements,
                                     std::uint32_t size);
bool has_root(CollectiveKind kind);
bool reduces(CollectiveKind kind);

/// Throws InputError when the call makes no sense, whatever the algorithm.
void check_call(const CollectiveCall& call, std::uint32_t size);

/// The name of the algorithm that is picked for a call that leaves it open.
std::string_view automatic_algorithm(const CollectiveCall& call, std::uint32_t size);

}  // namespace dcube
