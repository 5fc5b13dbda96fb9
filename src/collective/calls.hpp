#pragma once

#include <cstdint>
#include <span>

#include "dcube/collective/collective.hpp"

namespace dcube {

/// What the options say, or 1.
std::uint64_t element_bytes_of(const CollectiveCall& call);

/// Pieces that the options cut the call's elements into, at least 1.
std::uint64_t segments_of(const CollectiveCall& call);

/// Elements of everything that the collective is about, as MPI's selectors look at it: the whole
/// vector, all shares together, or, of an all-to-all, what is sent to one process.
std::uint64_t elements_of(const CollectiveCall& call, std::uint32_t size);
bool has_root(CollectiveKind kind);
bool reduces(CollectiveKind kind);

/// Throws InputError when the call makes no sense, whatever the algorithm.
void check_call(const CollectiveCall& call, std::uint32_t size);

/// The name of the algorithm that is picked for a call that leaves it open.
std::string_view automatic_algorithm(const CollectiveCall& call, std::uint32_t size);

}  // namespace dcube
