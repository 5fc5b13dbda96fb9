#include "dcube/search/methods.hpp"

#include <fmt/format.h>

#include <array>

namespace dcube {
namespace {

/// Greatest number of slots at which an enumeration takes about as long as annealing.
constexpr std::uint32_t enumerable_slots = 8;

/// With more flows libscotch takes longer than all else, but ten times as many are few where it
/// shares out many processes among few nodes.
bool has_few_flows_for_scotch(const SearchProblem& problem) {
  constexpr std::size_t few = 500'000;
  constexpr std::uint64_t many_processes = 16;  // a node
  const bool is_shared = problem.traffic.process_count() >=
                         many_processes * std::uint64_t{problem.topology.usable_count()};
  return problem.traffic.flows().size() <= (is_shared ? 10 * few : few);
}

const std::array<std::string, 5> method_names{"auto", "annealing", "scotch", "exhaustive",
                                              "constant-distances"};

}  // namespace

std::span<const std::string> search_method_names() { return method_names; }

std::pair<std::string, std::string> chosen_method(const std::string& method,
                                                  const SearchProblem& problem) {
  if (method != "auto") {
    return {method, {}};
  }
  if (!traits_of(problem.objective).is_simulated && problem.usable_slots() <= enumerable_slots) {
    return {"exhaustive", fmt::format("auto: up to {} {} every map can be tried", enumerable_slots,
                                      problem.slots == 1 ? "nodes" : "slots")};
  }
  if (!has_scotch_target(problem.topology)) {
    return {"annealing",
            "auto: from the best of the structured maps; Scotch has no target for this "
            "machine"};
  }
  if (!has_few_flows_for_scotch(problem)) {
    return {
        "annealing",
        "auto: from the best of the structured and grown maps; Scotch takes minutes for so many "
        "flows"};
  }
  return {std::string{annealing_from_scotch},
          "auto: annealing from the best of Scotch's maps and the structured ones"};
}

std::uint64_t default_effort(const std::string& method, const SearchProblem& problem) {
  if (method == "scotch") {
    return 0;
  }
  return is_proof(method) ? ExhaustiveSettings{}.effort : usual_effort(problem);
}

bool is_proof(const std::string& method) {
  return method == "exhaustive" || method == "constant-distances";
}

}  // namespace dcube
