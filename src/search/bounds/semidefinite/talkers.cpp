#include "talkers.hpp"

#include <algorithm>
#include <cmath>

#include "core/mapped.hpp"
#include "search/pairs.hpp"

namespace dcube {

std::vector<std::uint32_t> talking_processes(const Partners& partners) {
  return kept(numbered(partners.process_count()), [&](std::uint32_t process) {
    return std::ranges::any_of(partners.of(process),
                               [](const Partner& partner) { return partner.weight > 0; });
  });
}

Talkers::Talkers(const SearchProblem& problem, const Partners& partners,
                 const DifferenceClasses& classes)
    : processes{talking_processes(partners)}, slots{problem.slots} {
  std::vector<std::size_t> index(partners.process_count());
  for (std::size_t a = 0; a < count(); ++a) {
    index[processes[a]] = a;
  }
  idle = problem.slot_count() - processes.size();
  weights.resize(count() * count());
  double squares = 0;
  for (std::size_t a = 0; a < count(); ++a) {
    for (const Partner& partner : partners.of(processes[a])) {
      if (partner.weight > 0) {
        weights[a * count() + index[partner.process.index()]] = partner.weight;
        const auto weight = static_cast<double>(partner.weight);
        squares += weight * weight;
      }
    }
  }
  unit = common_divisor(partners);
  // On a machine without odd cycles, hops are even if and only if both ends have one colour, so
  // costs are even where the odd weights cross every cut an even number of times.
  if (classes.is_bipartite && are_cuts_even(partners, unit)) {
    unit *= 2;
  }
  scale_bits = squares > 0 ? std::max(0, std::ilogb(std::sqrt(squares) / 2)) : 0;
}

}  // namespace dcube
