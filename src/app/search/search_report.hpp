#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/search/search.hpp"
#include "search_children.hpp"

namespace dcube::app {

/// A search that has ended, ready to be shown.
struct SearchOutcome {
  std::string machine;  ///< "torus:8x8 (8x8 torus)"
  std::string traffic;  ///< "cube:6, weights doubling"
  std::string method;   ///< the one that ran: "annealing"
  std::string reason;   ///< why it was chosen; empty when the user did
  std::string ended;    ///< why it stopped: "effort used"
  std::uint64_t seed = 1;
  std::uint64_t effort = 0;      ///< 0 where it has no meaning, endless_effort where time ends it
  bool is_usual_effort = false;  ///< nobody has chosen one
  std::uint32_t jobs = 1;        ///< threads
  double wall_s = 0;
  FoundMap found;
  std::vector<CostBound> bounds;  ///< greatest first
  std::optional<ExhaustiveProof> proof;
  std::optional<ConstantDistanceProof> constant_distances;
  std::vector<SearchStep> history;  ///< of the best cost
  std::string why{};                ///< reasons_text(), where it was asked for
  std::string why_json{};           ///< the same as JSON
};

/// As the summary shows it: "1.3647 hops a byte".
std::string cost_text(const SearchProblem& problem, std::uint64_t cost);

/// The cost as a number of quantity_of(): "hops a byte".
/// The same without its quantity: "1.3647".
std::string number_text(const SearchProblem& problem, std::uint64_t cost);

double value_of(const SearchProblem& problem, std::uint64_t cost);
std::string quantity_of(const SearchProblem& problem);

/// The objective of the problem as --objective takes it.
std::string objective_text(const SearchProblem& problem);

/// How far the cost found is above the bound, as a share of the bound. Nothing when the bound is 0
/// and the cost is not.
std::optional<double> gap_of(const SearchOutcome& outcome);

/// What is pinned, and what processes send themselves, a line each.
std::string subject_words(const SearchProblem& problem);
/// "none, an optimum", "17.3 %".
std::string gap_words(const SearchOutcome& outcome);
/// "annealing+scotch (123 maps tried, seed 0, 1.2 s; effort used)".
std::string found_words(const SearchOutcome& outcome);
/// A row for each term of a weighted sum.
std::string parts_table(const SearchProblem& problem, std::span<const NodeId> map);
/// "1.173", or "-" where the bound is 0.
std::string ratio_text(std::uint64_t cost, std::uint64_t bound);

/// For people.
std::string search_summary(const SearchProblem& problem, const SearchOutcome& outcome);
nlohmann::ordered_json search_result(const SearchProblem& problem, const SearchOutcome& outcome);
/// The same as a text.
std::string search_json(const SearchProblem& problem, const SearchOutcome& outcome);

/// What scripts/check_certificate.py verifies (docs/search.md). Needs one of the two proofs.
std::string certificate_json(const SearchProblem& problem, const SearchOutcome& outcome);

}  // namespace dcube::app
