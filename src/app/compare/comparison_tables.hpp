#pragma once

#include <string>

#include "dcube/questions/comparison.hpp"

namespace dcube::app {

/// Text for people: a title, the table and a sentence that says which embedding wins, by how much
/// and why, or which number of processes takes the shortest time. Where critical paths were looked
/// for, a table and a sentence on what they go on follow. Where links fail, a row is an embedding
/// on all draws of one number of failures, and the end ranks the embeddings for each number.
std::string comparison_table(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

}  // namespace dcube::app
