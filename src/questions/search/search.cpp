#include "dcube/questions/search.hpp"

#include "core/refuse.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/search/methods.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "search_json.hpp"
#include "search_run.hpp"

namespace dcube {

SearchAnswer search(const SearchRequest& request, const SearchListeners& listeners) {
  SearchAnswer answer;
  SearchRun run{"search", request, listeners, answer};
  if (run.begin()) {
    run.find();
  }
  return answer;
}

std::shared_ptr<const Machine> requested_machine(const std::string& name,
                                                 const std::optional<Params>& document, Ticks hop) {
  return at_least_at(".machine", [&] {
    return document ? read_machine(*document, "unnamed", VersionKey::optional)
                    : load_machine(name, hop);
  });
}

bool SearchAnswer::has_complete_proof() const {
  return (proof && proof->is_complete) || (constant_distances && constant_distances->is_complete);
}

std::optional<double> gap_of(std::uint64_t cost, std::uint64_t bound) {
  if (bound == 0) {
    return cost == 0 ? std::optional{0.0} : std::nullopt;
  }
  return static_cast<double>(cost) / static_cast<double>(bound) - 1;
}

std::optional<double> SearchAnswer::gap() const { return gap_of(found.cost, bounds.front().cost); }

void expect_certificate(const SearchAnswer& begun) {
  const SearchProblem& problem = *begun.problem;
  const Topology& topology = problem.topology;
  refuse_if(!is_proof(begun.method) &&
                !semidefinite_work(problem, SemidefiniteLevel::matrices).has_value(),
            "", "{} proves nothing; use `.method` exhaustive", begun.method);
  refuse_if((!wraps_around(topology) && !has_open_ends(topology)) ||
                topology.routing() != "dimension_order" || problem.has_unusable_nodes(),
            "",
            "a certificate is about a whole line, ring, mesh, torus or hypercube with its usual "
            "routes, which its checker builds; leave it out");
  refuse_if(!hop_weights_of(topology).empty(), "",
            "no checker knows weights of links; leave it out");
  refuse_if(
      problem.has_pins() || !problem.terms.empty() || problem.has(&ObjectiveTraits::is_unchecked),
      "", "no checker knows pins, {} and sums of objectives; leave it out",
      listed(objectives_with(&ObjectiveTraits::is_unchecked)));
}

}  // namespace dcube
