#include "dcube/search/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "search/bounds/slot_distances.hpp"
#include "search/sums/place_costs.hpp"
#include "search/sums/tabu.hpp"
#include "search/walks/annealer.hpp"

namespace dcube {
namespace {

const std::array<std::string, 5> method_names{"auto", "annealing", "scotch", "exhaustive",
                                              "constant-distances"};

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

/// The usual effort for so many places. A map of dense traffic takes longer to try, as does one of
/// a large machine, and one of a small machine leaves less to find. What is bred ends early, and a
/// table of costs tries ten maps while others try one; so times change little from one place to one
/// more.
std::uint64_t effort_of(std::uint64_t places, const SearchProblem& problem) {
  constexpr std::uint64_t bred = most_tabu_places;
  constexpr std::uint64_t tabled = most_tabled_places;
  constexpr std::uint64_t of_a_full_table = 400'000'000;
  constexpr std::uint64_t of_a_large_machine = 30'000'000;
  const auto shared = [&](std::uint64_t moves, std::uint64_t few_partners) {
    return std::max<std::uint64_t>(1,
                                   moves * few_partners / (few_partners + mean_partners(problem)));
  };
  if (places > tabled) {
    return shared(of_a_large_machine, 64);
  }
  const std::uint64_t of_a_triple = std::max<std::uint64_t>(700, 16 * places);
  const std::uint64_t most = 600'000'000 + 900'000 * std::min(places, bred);
  if (places > bred) {
    return shared(most - (most - of_a_full_table) * (places - bred) / (tabled - bred), 16);
  }
  return shared(std::min(most, of_a_triple * places * places * places), 16);
}

/// Mean hops from the first usable node to all of them.
std::uint64_t mean_distance(const Topology& topology) {
  const std::vector<NodeId> nodes = usable_nodes(topology);
  return sum_of(nodes,
                [&](NodeId node) -> std::uint64_t {
                  return topology.reaches(nodes.front(), node)
                             ? topology.distance(nodes.front(), node)
                             : 0;
                }) /
         nodes.size();
}

/// Fewer moves where a process has many partners far away: it changes the loads of many links.
std::uint64_t effort_on_links(std::uint64_t moves, const SearchProblem& problem) {
  constexpr std::uint64_t few_hops = 500;
  const std::uint64_t hops = mean_partners(problem) * mean_distance(problem.topology);
  return moves * few_hops / std::max(few_hops, hops);
}

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

std::uint64_t usual_effort(const SearchProblem& problem) {
  const ObjectiveTraits& traits = traits_of(problem.objective);
  if (traits.is_simulated) {
    return usual_simulations;
  }
  if (!traits.is_sum) {
    constexpr std::uint64_t moves = 1'000'000;
    return problem.has(&ObjectiveTraits::needs_routes) ? effort_on_links(moves, problem) : moves;
  }
  const std::uint64_t of_processes = effort_of(problem.usable_slots(), problem);
  const bool has_groups = problem.slots > 1 && problem.usable_slots() > most_tabu_places;
  return (problem.has_many_a_node() ? 4 : has_groups ? 2 : 1) * of_processes;
}

FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control) {
  check_problem(problem);
  return traits_of(problem.objective).is_simulated ? anneal_simulated(problem, settings, control)
                                                   : anneal_computed(problem, settings, control);
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
