#pragma once

#include <functional>
#include <string>

#include "dcube/questions/comparison.hpp"

namespace dcube::app {

/// Text for people: a title, the table and a sentence that says which embedding wins, by how much
/// and why, or which number of processes takes the shortest time. Where critical paths were looked
/// for, a table and a sentence on what they go on follow. Where links fail, a row is an embedding
/// on all draws of one number of failures, and the end ranks the embeddings for each number.
std::string comparison_table(const Comparison& comparison);
/// Those sentences alone, each in a line; empty where nothing completed or there is one row.
std::string comparison_verdict(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

/// Text on what rests on ties: runs whose makespans change much, and orders that need not hold,
/// when computing times vary by little. Empty when nothing does. `label`: what a row is called.
std::string tie_text(const Comparison& comparison,
                     const std::function<std::string(const ComparisonRow&)>& label);

}  // namespace dcube::app
