#pragma once

#include <span>
#include <string>
#include <vector>

#include "dcube/questions/subcubes.hpp"

namespace dcube::app {

/// "0*1", "1*1", ..
std::vector<std::string> texts(std::span<const Subcube> subcubes);

/// "non-parallel"
std::string to_string(MappingKind kind);

// Reports for people and for programs. `full`: every task, however many.
std::string subcube_text(const SubcubesAnswer& report, bool full);
std::string subcube_json(const SubcubesAnswer& report);

/// T, M, H, the frontiers and the pairing of two subcubes.
std::string pair_text(const Subcube& a, const Subcube& b);
std::string pair_json(const Subcube& a, const Subcube& b);

std::string conjecture_text(const std::vector<ConjectureCheck>& checks);
std::string conjecture_json(const std::vector<ConjectureCheck>& checks);

}  // namespace dcube::app
