#pragma once

#include <optional>
#include <span>

#include "dcube/questions/subcube_simulation.hpp"
#include "dcube/runs/case_list.hpp"

namespace dcube {

/// The simulations of drawn mappings: each with contention and without. The referenced values must
/// outlive it.
CaseList cases_of(const SubcubeProblem& problem, const SubcubeSimulation& drawn,
                  const ExchangeScenario& exchange);

/// Takes the records of these cases; nothing: an interrupt has kept one from ending.
void conclude(SubcubeSimulation& drawn, std::span<const std::optional<RunRecord>> records);

}  // namespace dcube
