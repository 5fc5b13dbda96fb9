#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dcube/search/search.hpp"

namespace dcube {

/// Names of all methods: "auto", "annealing", ..
std::span<const std::string> search_method_names();
/// Annealing with Scotch's maps among its starts, which `auto` may stand for.
inline constexpr std::string_view annealing_from_scotch = "annealing+scotch";

/// The method to use, and why when it is chosen here.
std::pair<std::string, std::string> chosen_method(const std::string& method,
                                                  const SearchProblem& problem);

/// The default effort where maps are simulated.
inline constexpr std::uint64_t usual_simulations = 1'600;

/// Default effort; 0 for a method that has none.
std::uint64_t default_effort(const std::string& method, const SearchProblem& problem);

/// Whether the method can write a certificate.
bool is_proof(const std::string& method);

}  // namespace dcube
