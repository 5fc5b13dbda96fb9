#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "dcube/search/search.hpp"
#include "search_children.hpp"
#include "search_report.hpp"

namespace dcube::app {

/// "auto", "annealing", ..
std::span<const std::string> search_method_names();

/// The method to use, and why when it is chosen here.
std::pair<std::string, std::string> chosen_method(const std::string& method,
                                                  const SearchProblem& problem);

/// The effort where none is asked for; 0 for a method that has none.
std::uint64_t default_effort(const std::string& method, const SearchProblem& problem);

/// Whether the method can write a certificate.
bool is_proof(const std::string& method);
bool has_complete_proof(const SearchOutcome& outcome);

/// Runs the method of `outcome` with its seed and effort. Puts into `outcome` what is found, why
/// the search ended and, after a complete enumeration, a bound. The map is empty when every
/// simulation failed, or when SIGINT came before the first. Throws InputError where the method
/// cannot be used.
void run_method(const SearchProblem& problem, SearchWatch& watch, SearchOutcome& outcome);

}  // namespace dcube::app
