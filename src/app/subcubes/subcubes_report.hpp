#pragma once

#include <string>
#include <vector>

#include "dcube/questions/subcubes.hpp"

namespace dcube::app {

/// Report for people. `full`: every task, however many.
std::string subcube_text(const SubcubesAnswer& report, bool full);

/// T, M, H, the frontiers and the pairing of two subcubes.
std::string pair_text(const Subcube& a, const Subcube& b);
std::string pair_json(const Subcube& a, const Subcube& b);

std::string conjecture_text(const std::vector<ConjectureCheck>& checks);
std::string conjecture_json(const std::vector<ConjectureCheck>& checks);

}  // namespace dcube::app
