#include "dcube/scenario/failures_over_time.hpp"

#include <algorithm>
#include <iterator>

#include "core/mapped.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

template <class Id>
std::vector<Id> in_first_alone(const std::vector<Id>& first, const std::vector<Id>& second) {
  std::vector<Id> rest;
  std::ranges::set_difference(first, second, std::back_inserter(rest));
  return rest;
}

}  // namespace

std::vector<FailuresAt> failures_over_time(const Topology& topology,
                                           std::span<const Fault> faults) {
  std::vector<FailuresAt> all;
  Failures before;
  const auto add = [&](Ticks at, const Topology& left) {
    Failures now = failures_of(left);
    const Topology& whole = without_failures(left);
    FailuresAt found{at, in_first_alone(now.nodes, before.nodes),
                     mapped(in_first_alone(now.links, before.links),
                            [&](LinkId link) { return *whole.link(link); })};
    if (!found.nodes.empty() || !found.links.empty()) {
      all.push_back(std::move(found));
    }
    before = std::move(now);
  };
  add(Ticks{0}, topology);
  for (const Fault& fault : faults) {
    add(fault.at, *fault.left);
  }
  return all;
}

}  // namespace dcube
