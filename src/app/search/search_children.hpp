#pragma once

#include <cstdint>
#include <vector>

#include "app/children/child_batch.hpp"
#include "app/options/options.hpp"
#include "dcube/search/search.hpp"
#include "search_watch.hpp"

namespace dcube::app {

/// Costs by simulation, each in a child process: the Simulate of a SearchProblem. The referenced
/// values must outlive it.
class Simulator {
 public:
  /// `document`: of the scenario, which stands in `source`.
  Simulator(const Params& document, const std::string& source, std::size_t at_once,
            SearchWatch& watch);

  /// The time limit ends simulations too, once there is a map to keep.
  std::vector<std::optional<std::uint64_t>> operator()(std::span<const std::vector<NodeId>> maps);

 private:
  const Params& document_;
  const std::string& source_;
  SearchWatch& watch_;
  std::size_t at_once_;
  bool has_cost_ = false;
};

/// scotch_starts() in a child process, because nothing ends libscotch early; nothing after SIGINT
/// or when the time limit has passed. Throws InputError as it does.
std::vector<Start> scotch_starts_in_child(const SearchProblem& problem, std::uint64_t seed,
                                          SearchWatch& watch);

}  // namespace dcube::app
