#pragma once

#include <optional>
#include <span>
#include <string>

#include "dcube/questions/reproduce.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/runs/record.hpp"

namespace dcube {

/// `records`: of every simulation of a file, trial after trial, each followed by its baseline where
/// it has one; nothing for one that has not ended.
Reproduction reproduction_of(const std::string& file, const ExperimentFile& experiments,
                             std::span<const std::optional<RunRecord>> records);

}  // namespace dcube
