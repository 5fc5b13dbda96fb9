#pragma once

#include <optional>
#include <span>
#include <string>

#include "dcube/questions/reproduce.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/runs/record.hpp"

namespace dcube {

/// Every simulation of a file, trial after trial, each followed by its baseline where it has one.
/// The experiments must outlive it.
CaseList cases_of(const ExperimentFile& experiments);

/// `records` are those of cases_of(), in that order; nothing: an interrupt has kept it from ending.
Reproduction reproduction_of(const std::string& file, const ExperimentFile& experiments,
                             std::span<const std::optional<RunRecord>> records);

}  // namespace dcube
