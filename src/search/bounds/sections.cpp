#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/stoer_wagner_min_cut.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstddef>
#include <vector>

#include "bounds.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "search/pairs.hpp"

namespace dcube {
namespace {

constexpr const char* sections =
    "sections: every link of a line between processes that flows join carries at least the least "
    "cut of these";

using Pairs =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                          boost::property<boost::edge_weight_t, std::uint64_t>>;

/// The pairs of any weight, for each set of two processes or more that they join.
std::vector<Pairs> joined_pairs(const Partners& partners) {
  Pairs all{partners.process_count()};
  for_each_pair(partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
    if (weight > 0) {
      boost::add_edge(a, b, weight, all);
    }
  });
  std::vector<std::size_t> set_of(partners.process_count());
  std::vector<Pairs> sets(boost::connected_components(all, set_of.data()));
  std::vector<std::size_t> number;  // of each process in its set
  for (const std::size_t set : set_of) {
    number.push_back(boost::add_vertex(sets[set]));
  }
  for (const auto& edge : boost::make_iterator_range(boost::edges(all))) {
    const std::size_t a = boost::source(edge, all);
    boost::add_edge(number[a], number[boost::target(edge, all)],
                    boost::get(boost::edge_weight, all, edge), sets[set_of[a]]);
  }
  std::erase_if(sets, [](const Pairs& set) { return boost::num_vertices(set) < 2; });
  return sets;
}

}  // namespace

CostBound section_bound(const SearchProblem& problem, const Partners& partners) {
  constexpr std::uint32_t most_processes = 300;
  if (!is_path(problem.topology) || partners.process_count() > most_processes) {
    return {};
  }
  CostBound bound{0, sections};
  for (const Pairs& pairs : joined_pairs(partners)) {
    const std::uint64_t links = divided_up(boost::num_vertices(pairs), problem.slots) - 1;
    bound.cost += links > 0 ? links * boost::stoer_wagner_min_cut(
                                          pairs, boost::get(boost::edge_weight, pairs))
                            : 0;
  }
  return bound;
}

}  // namespace dcube
