// Uses dcube beside Scotch's own library of error reports: no name may be defined by both.
// clang-format off
#include <cstdint>
#include <cstdio>
#include <scotch.h>  // needs the two above
// clang-format on

#include <iostream>

#include "dcube/search/search.hpp"

int main() {
  SCOTCH_errorProg("consumer");
  const auto topology = dcube::make_topology(dcube::Params::parse("kind=torus,shape=4x4"));
  const dcube::Traffic traffic = dcube::Traffic::of(dcube::Guest::cube(4));
  const dcube::SearchProblem problem{.topology = *topology, .traffic = traffic};
  std::cout << dcube::map_with_scotch(problem, 1).map.size() << " processes placed\n";
}
