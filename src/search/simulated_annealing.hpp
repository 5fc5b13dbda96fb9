#pragma once

#include "dcube/search/search.hpp"

namespace dcube {

/// anneal() for costs that come from simulations, several at a time.
FoundMap anneal_simulated(const SearchProblem& problem, const AnnealingSettings& settings,
                          const SearchControl& control);

}  // namespace dcube
