#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "dcube/questions/search.hpp"
#include "search_watch.hpp"

namespace dcube {

/// Adds semidefinite bounds to those of the answer, at the highest level that is expected to take
/// at most half as long as the search: of sums, or of the busiest link. It depends on the problem,
/// the effort and the time limit alone. To be called before the search.
void add_usual_semidefinite_bound(std::optional<std::chrono::nanoseconds> time_limit,
                                  SearchWatch& watch, SearchAnswer& answer);

/// Multiplications for bounds of links, beside a search by simulated times.
double link_work_beside(const SearchRequest& request);

/// After the search: a better bound, and maybe a better map, until the watch's time limit. With so
/// many threads.
void prove_further(std::uint32_t jobs, SearchWatch& watch, SearchAnswer& answer);

}  // namespace dcube
