#pragma once

#include <cstdint>
#include <string>

#include "dcube/questions/search.hpp"

namespace dcube::app {

/// A cost as the summary shows it: "1.3647 hops a byte".
std::string cost_text(const SearchProblem& problem, std::uint64_t cost);
/// A cost without its quantity: "1.3647".
std::string number_text(const SearchProblem& problem, std::uint64_t cost);
/// Heading of such numbers; times bring their unit along.
std::string quantity_text(const SearchProblem& problem);

/// The objective of the problem as --objective takes it.
std::string objective_text(const SearchProblem& problem);

/// Lines on pinned processes and on bytes that processes send to themselves.
std::string subject_words(const SearchProblem& problem);
/// "none, an optimum", "17.3 %".
std::string gap_words(const SearchAnswer& answer);
/// "annealing+scotch (123 maps tried, seed 0, 1.2 s; effort used)".
std::string found_words(const SearchAnswer& answer);
/// A row for each term of a weighted sum.
std::string parts_table(const SearchAnswer& answer);
/// "1.173", or "-" where the bound is 0.
std::string ratio_text(std::uint64_t cost, std::uint64_t bound);

/// Summary for people.
std::string search_summary(const SearchAnswer& answer);

}  // namespace dcube::app
